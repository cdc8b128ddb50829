"""Webhooks of a tenant: an address that is told each delta, signed; made, listed, tried, removed."""

import secrets
import uuid
from collections.abc import Sequence

from slowwave import clock
from slowwave.core.webhooks import secret_of
from slowwave.domain.arguments import Name, checked
from slowwave.domain.delta import Kind
from slowwave.domain.hearing.webhook import Answered, Webhook
from slowwave.errors import Incorrect
from slowwave.jobs.hearing.deliver import send, trial
from slowwave.memory.face import TheParts

KINDS: Sequence[Kind] = ("add", "update", "delete")
"""What a webhook is told unless it is said: each change of what is believed."""
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
        """Have each delta that is applied from now on sent to *url*; return it, and its secret, told this once.

        Of these *kinds*, and where they are named of one *user*, one *agent* of theirs, one *channel* of that. Each is
        sent once or more under its id, in order, until the receiver answers with a status of 200 to 299.
        Raises `Incorrect` for an address that may not be called.
        """
        problems = ["kinds: is empty"] if not kinds else []
        problems += [
            f"{name}: goes with {before}"
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
        """Return the webhooks of a tenant, oldest first, each with how far it was told and what is in its way."""
        return self._parts.webhooks.listing(self._tenant(tenant))

    @checked
    def remove(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Webhook:
        """Remove a webhook, and its secret, for good; return it. Raises `NotFound`."""
        return self._parts.webhooks.remove(self._tenant(tenant), webhook)

    @checked
    def enable(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Webhook:
        """Have a webhook that was disabled, or waits after a failure, told again at once, from where it was left.

        Return it. Raises `NotFound`.
        """
        return self._parts.webhooks.enable(self._tenant(tenant), webhook)

    @checked
    def test(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Answered:
        """Return what the receiver answers to a signed `webhook.test`, sent once and now. Raises `NotFound`."""
        url, secret = self._parts.webhooks.signed_with(self._tenant(tenant), webhook)
        return send(self._parts.poster, url, secret, str(uuid.uuid4()), trial(clock.now()))

    def _tenant(self, tenant: str | None) -> str:
        return self._parts.settings.tenant if tenant is None else tenant

    def __repr__(self) -> str:
        return "<Webhooks>"
