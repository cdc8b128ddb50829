"""Webhooks of a tenant, which receive each delta as a signed request: create, list, test and remove."""

import secrets
import uuid
from collections.abc import Sequence

from slowwave.core.webhooks import secret_of
from slowwave.domain.arguments import Name, checked
from slowwave.domain.delta import Kind
from slowwave.domain.webhooks.webhook import Answered, Webhook
from slowwave.errors import Incorrect
from slowwave.jobs.webhooks.deliver import send, test_body
from slowwave.memory.verb_group import TheParts
from slowwave.runtime import clock

KINDS: Sequence[Kind] = ("add", "update", "delete")
"""The default kinds of deltas for a webhook: every change of belief."""
SECRET_BYTES = 32


class Webhooks:
    """The webhooks of an installation."""

    @checked
    def __init__(self, parts: TheParts) -> None:
        self._parts = parts

    @checked
    def create(
        self, url: Name, *, kinds: Sequence[Kind] = KINDS, user: Name | None = None, agent: Name | None = None,
        channel: Name | None = None, tenant: Name | None = None,
    ) -> tuple[Webhook, str]:  # fmt: skip
        """Send each delta from now on to *url*; return the webhook, and its secret, which is shown only once.

        Sends only deltas of these *kinds* and, if given, of the *user*, *agent* and *channel*. Sends each delta under
        its id, in order, until the receiver answers with a status of 200 to 299; a delta may arrive more than once.
        Raises `Incorrect` for an address that is not allowed.
        """
        problems = ["kinds: is empty"] if not kinds else []
        problems += [
            f"{name}: requires {before}"
            for name, inner, before, outer in (("agent", agent, "user", user), ("channel", channel, "agent", agent))
            if inner is not None and outer is None
        ]
        if problems:
            raise Incorrect.listing("the webhook", problems, hint="a scope is user, then agent, then channel")
        secret = secret_of(secrets.token_bytes(SECRET_BYTES))
        whose = {"user": user, "agent": agent, "channel": channel}
        url = self._parts.poster.checked(url)
        return self._parts.webhooks.add(self._tenant(tenant), url, secret, kinds, whose), secret

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[Webhook]:
        """Return the webhooks of a tenant, oldest first, each with the last delivered delta and its current error."""
        return self._parts.webhooks.listing(self._tenant(tenant))

    @checked
    def remove(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Webhook:
        """Remove a webhook and its secret permanently; return it. Raises `NotFound`."""
        return self._parts.webhooks.remove(self._tenant(tenant), webhook)

    @checked
    def enable(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Webhook:
        """Resume deliveries to a disabled or failing webhook at once, from where they stopped.

        Return it. Raises `NotFound`.
        """
        return self._parts.webhooks.enable(self._tenant(tenant), webhook)

    @checked
    def test(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Answered:
        """Return the receiver's response to a signed `webhook.test`, sent once and now. Raises `NotFound`."""
        url, secret = self._parts.webhooks.signed_with(self._tenant(tenant), webhook)
        return send(self._parts.poster, url, secret, str(uuid.uuid4()), test_body(clock.now()))

    def _tenant(self, tenant: str | None) -> str:
        return self._parts.settings.tenant if tenant is None else tenant

    def __repr__(self) -> str:
        return "<Webhooks>"
