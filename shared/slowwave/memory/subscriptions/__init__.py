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
        """Return an iterator over the deltas of a tenant as they are applied, each once, from now on or a given point.

        To continue, pass the id of the last delta received as *after*; or start with the deltas applied from *since*
        on. The iterator misses no delta of any scope: it waits for a run that has applied a delta but not committed it
        before it yields later deltas. It survives outages of Postgres; close it when done. Raises `NotFound` for an
        *after* that is not a delta, and `Unavailable` if Postgres is down at the start.
        """
        return _delta_iterator(
            self._parts, DeltaFilter(tenant or self._parts.settings.tenant, None, after, since, kind)
        )

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of a tenant, in the background; return the subscription.

        Close the subscription or the memory to end the calls. A separate thread calls *hear*. An `AsyncMemory` calls it
        in a task, and *hear* may be a coroutine function. Order and start are those of `follow`. If *hear* raises, it
        gets the same delta again after a pause.
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
        """Return an iterator that yields each delta of this scope once, as it is applied; see `Memory.follow`."""
        return _delta_iterator(self._parts, DeltaFilter(self.scope.tenant, self.scope, after, since, kind))

    @checked
    def on_delta(
        self, hear: DeltaCallback, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> Subscription:  # fmt: skip
        """Call *hear* with each delta of this scope, in the background; see `Memory.on_delta`."""
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
