"""`follow` and `on_delta`: an agent receives deltas as they are applied."""

from dataclasses import dataclass

from slowwave.domain.arguments import Id, Instant, Name, checked, checked_type
from slowwave.domain.delta import Kind
from slowwave.memory.subscriptions.postgres_deltas import DeltaFilter, PostgresDeltas
from slowwave.memory.verb_group import VerbGroup
from slowwave.subscriptions import DeltaCallback, Subscription
from slowwave.wiring import Parts


class TenantSubscriptions:
    """The verbs that receive the deltas of all scopes."""

    _parts: Parts

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> PostgresDeltas:  # fmt: skip
        """Return an iterator over the deltas of a tenant as they come, each once; from now on, or from a given point.

        Continue after the last delta received with its id as *after*, or start with those applied at *since*. No delta
        of any scope is missed: a delta that a run has applied but not committed holds back later ones. The iterator
        survives outages of Postgres; close it when done. Raises `NotFound` for an *after* that is not a delta, and
        `Unavailable` if Postgres is down at the start.
        """
        return _delta_iterator(
            self._parts, DeltaFilter(tenant or self._parts.settings.tenant, None, after, since, kind)
        )

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of a tenant as it comes, in the background; return the subscription.

        `close` on the subscription or the memory ends the calls. They come from a thread of their own; an
        `AsyncMemory` makes them in a task, and *hear* may then be a coroutine function. Each delta comes once, in
        the same order and from the same start as with `follow`. If *hear* raises, it is called again after a pause.
        """
        return _callback_thread(
            self._parts, DeltaFilter(tenant or self._parts.settings.tenant, None, after, since, kind), hear
        )


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class ScopeSubscriptions(VerbGroup):
    """The verbs that receive the deltas of one scope."""

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> PostgresDeltas:  # fmt: skip
        """Return an iterator over the deltas of this scope as they come, each once; see `Memory.follow`."""
        return _delta_iterator(self._parts, DeltaFilter(self.scope.tenant, self.scope, after, since, kind))

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of this scope as it comes; see `Memory.on_delta`."""
        return _callback_thread(self._parts, DeltaFilter(self.scope.tenant, self.scope, after, since, kind), hear)


def _delta_iterator(parts: Parts, wanted: DeltaFilter) -> PostgresDeltas:
    """Return an iterator over the *wanted* deltas, open until it or the memory is closed."""
    made = PostgresDeltas(parts, wanted)
    parts.followers.add(made)
    return made


def _callback_thread(parts: Parts, wanted: DeltaFilter, hear: DeltaCallback) -> Subscription:
    """Return a listener that calls *hear* with the *wanted* deltas until it or the memory is closed."""
    made = Subscription(PostgresDeltas(parts, wanted), hear)
    parts.followers.add(made)
    return made
