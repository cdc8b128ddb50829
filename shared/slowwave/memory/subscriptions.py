"""`follow`, `on_delta` and webhooks: three ways in which an agent receives deltas as they are applied."""

import logging
import secrets
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.core.webhooks import secret_of
from slowwave.domain.arguments import Id, Instant, Name, checked, checked_type
from slowwave.domain.delta import Kind, delta_id
from slowwave.domain.scope import Scope
from slowwave.domain.webhook import Answered, Webhook
from slowwave.errors import Incorrect, Unavailable
from slowwave.formatting import brief
from slowwave.jobs.webhook_deliveries import send, test_body
from slowwave.memory import beliefs
from slowwave.memory.verb_group import TenantVerbs, VerbGroup
from slowwave.runtime import clock
from slowwave.subscriptions import PAGE, DeltaCallback, Deltas, Subscription, deltas
from slowwave.threads import LONGEST_PAUSE_SECONDS, Pause
from slowwave.wiring import Parts

_LOG = logging.getLogger(__name__)
KINDS: Sequence[Kind] = ("add", "update", "delete")
"""The default kinds of deltas for a webhook: all kinds that change a belief."""
SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class DeltaFilter:
    """The selection of deltas to follow: a *tenant* or one *scope* of the tenant, one *kind*, and the
    starting point.
    """

    tenant: str
    scope: Scope | None
    after: uuid.UUID | str | None
    since: datetime | None
    kind: Kind | None


class PostgresDeltas(Deltas):
    """An iterator over the deltas of a tenant or a scope. It yields each applied delta once, in a fixed order.

    Iterate, or call `read`. *after* is the id of the last returned delta. Pass this id to another iterator to continue
    there. While Postgres is down, the iteration waits, and *trouble* is the error. Only one thread may read. Any thread
    may call `close`.
    """

    def __init__(self, parts: Parts, wanted: DeltaFilter) -> None:
        """Raise `Unavailable` when Postgres is down, and `NotFound` if *after* is not the id of a delta."""
        super().__init__(delta_id(wanted.after))
        self._parts, self._wanted = parts, wanted
        self._fetched = self.after
        self._pause = Pause(deltas.POLL_SECONDS, LONGEST_PAUSE_SECONDS)
        self.since = wanted.since
        if self.after is None and self.since is None:
            self.since = beliefs.settled_until(parts, wanted.tenant)
        else:
            self._fetch()

    def look(self) -> None:
        """Fetch new deltas. `read` calls this method when no delta is buffered. Raises `Unavailable`."""
        if not self.closed:
            self._fetch()

    def pause_before_next(self) -> float:
        """Return the seconds to wait before the next `read`, if the last `read` returned no delta or failed."""
        return self._pause.seconds if self.trouble else deltas.POLL_SECONDS

    def __repr__(self) -> str:
        scope = self._wanted.scope
        return brief(self, scope.user if scope else f"tenant {self._wanted.tenant}", f"after {self.after}")

    def _fetch(self) -> None:
        wanted = self._wanted
        parts = self._parts.of(wanted.tenant)
        try:
            found = beliefs.settled(
                parts, wanted.tenant, None if wanted.scope is None else wanted.scope.id, since=self.since,
                kind=wanted.kind, after=self._fetched, limit=PAGE,
            )  # fmt: skip
        except Unavailable as error:
            if self.trouble is None:
                _LOG.warning("no deltas can be read: %s", error.message)
            else:
                self._pause.double()
            self.trouble = error
            raise
        if self.trouble is not None:
            _LOG.info("deltas can be read again")
            self.trouble = None
            self._pause.reset()
        if found:
            self._fetched = found[-1].id
            self._ready.extend(found)


class Webhooks(TenantVerbs):
    """The webhooks of an installation."""

    @checked
    def create(
        self, url: Name, *, kinds: Sequence[Kind] = KINDS, user: Name | None = None, agent: Name | None = None,
        channel: Name | None = None, tenant: Name | None = None,
    ) -> tuple[Webhook, str]:  # fmt: skip
        """Create a webhook that sends each new delta to *url*; return the webhook and its secret, which is shown only
        once.

        The webhook sends only deltas of these *kinds* and, if given, of the *user*, *agent* and *channel*. Deltas are
        sent in order, each with its id. A delta is repeated until the receiver answers with a status of 200 to 299. A
        delta may therefore arrive more than once. Raises `Incorrect` for an address that is not allowed.
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
        owner = {"user": user, "agent": agent, "channel": channel}
        url = self._at(tenant).poster.checked(url)
        return self._at(tenant).webhooks.add(self._tenant(tenant), url, secret, kinds, owner), secret

    @checked
    def listing(self, *, tenant: Name | None = None) -> Sequence[Webhook]:
        """Return the webhooks of a tenant, oldest first, each with the last delivered delta and its current error."""
        return self._at(tenant).webhooks.listing(self._tenant(tenant))

    @checked
    def remove(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Webhook:
        """Remove a webhook and its secret permanently; return the removed webhook. Raises `NotFound`."""
        return self._at(tenant).webhooks.remove(self._tenant(tenant), webhook)

    @checked
    def enable(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Webhook:
        """Resume deliveries to a disabled or failing webhook at once, with the first delta that was not delivered.

        Returns the webhook. Raises `NotFound`.
        """
        return self._at(tenant).webhooks.enable(self._tenant(tenant), webhook)

    @checked
    def test(self, webhook: uuid.UUID, *, tenant: Name | None = None) -> Answered:
        """Send a signed `webhook.test` once, now; return the receiver's response. Raises `NotFound`."""
        url, secret = self._at(tenant).webhooks.signed_with(self._tenant(tenant), webhook)
        return send(self._at(tenant).poster, url, secret, str(uuid.uuid4()), test_body(clock.now()))


class TenantSubscriptions(TenantVerbs):
    """The verbs that receive the deltas of all scopes."""

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> PostgresDeltas:  # fmt: skip
        """Return an iterator over the deltas of a tenant as they are applied. It yields each delta once.

        By default, the iterator starts with the deltas applied from now on. With *since*, it starts with the deltas
        applied from *since* on. To continue, pass the id of the last received delta as *after*. The iterator misses no
        delta: if a run has applied a delta but has not committed it, later deltas wait for this run. The iterator
        survives outages of Postgres. Close the iterator at the end. Raises `NotFound` if *after* is not the id of a
        delta, and `Unavailable` if Postgres is down at the start.
        """
        return _followed(self._at(tenant), DeltaFilter(self._tenant(tenant), None, after, since, kind))

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each new delta of a tenant, in the background; return the subscription.

        Close the subscription or the memory to end the calls. A separate thread calls *hear*. An `AsyncMemory` calls
        *hear* in a task, and *hear* may be a coroutine function. The order and the first delta are the same as in
        `follow`. If *hear* raises an error, *hear* is called again with the same delta after a pause.
        """
        return _heard(self._at(tenant), DeltaFilter(self._tenant(tenant), None, after, since, kind), hear)


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class ScopeSubscriptions(VerbGroup):
    """The verbs that receive the deltas of one scope."""

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> PostgresDeltas:  # fmt: skip
        """Return an iterator that yields each delta of this scope once, as it is applied; see `Memory.follow`."""
        return _followed(self._parts, DeltaFilter(self.scope.tenant, self.scope, after, since, kind))

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of this scope, in the background; see `Memory.on_delta`."""
        return _heard(self._parts, DeltaFilter(self.scope.tenant, self.scope, after, since, kind), hear)


def _followed(parts: Parts, wanted: DeltaFilter) -> PostgresDeltas:
    """Return an iterator over the *wanted* deltas. It stays open until the iterator or the memory is closed."""
    return parts.followers.add(PostgresDeltas(parts, wanted))


def _heard(parts: Parts, wanted: DeltaFilter, hear: DeltaCallback) -> Subscription:
    """Return a subscription that calls *hear* with the *wanted* deltas until it or the memory is closed."""
    return parts.followers.add(Subscription(PostgresDeltas(parts, wanted), hear))
