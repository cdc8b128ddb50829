"""`follow` and `on_delta`: an agent hears what is learned."""

from dataclasses import dataclass

from slowwave.domain.arguments import Id, Instant, Name, checked, checked_type
from slowwave.domain.delta import Kind
from slowwave.hearing import Hear, Listening
from slowwave.memory.face import Face
from slowwave.memory.hearing.following import Following, Wanted
from slowwave.wiring import Parts


class HearingAll:
    """A memory of which every scope is heard."""

    _parts: Parts

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> Following:  # fmt: skip
        """Return the deltas of a tenant as they come, each once, to iterate over; from now on, or from where you say.

        Go on behind the last one you were handed by its id as *after*, or begin with what was applied at *since*. Over
        several scopes, too, none is missed: one that a run applied and has not committed holds back what others applied
        after it. The iteration survives that Postgres is away; close it when you have heard enough. Raises `NotFound`
        for an *after* that is no delta, and `Unavailable` when Postgres is away as you begin.
        """
        return _followed(self._parts, Wanted(tenant or self._parts.settings.tenant, None, after, since, kind))

    @checked
    def on_delta(
        self, hear: Hear, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None,
        tenant: Name | None = None,
    ) -> Listening:  # fmt: skip
        """Have *hear* called with each delta of a tenant as it comes, beside the caller; return what ends it.

        On a thread of its own; of an `AsyncMemory` in a task, and *hear* may be a coroutine function. Once each, in the
        order of `follow`, which says where it begins; one that *hear* raises at is told again after a pause. It ends
        with `close` of what is returned, or of the memory.
        """
        return _heard(self._parts, Wanted(tenant or self._parts.settings.tenant, None, after, since, kind), hear)


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Hearing(Face):
    """A face on which it is heard what is learned in one scope."""

    @checked
    def follow(
        self, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> Following:  # fmt: skip
        """Return the deltas of this scope as they come, each once, to iterate over; see `Memory.follow`."""
        return _followed(self._parts, Wanted(self.scope.tenant, self.scope, after, since, kind))

    @checked
    def on_delta(
        self, hear: Hear, *, after: Id | None = None, since: Instant | None = None, kind: Kind | None = None
    ) -> Listening:  # fmt: skip
        """Have *hear* called with each delta of this scope as it comes; see `Memory.on_delta`."""
        return _heard(self._parts, Wanted(self.scope.tenant, self.scope, after, since, kind), hear)


def _followed(parts: Parts, wanted: Wanted) -> Following:
    """Return who follows what is *wanted*, until it or the memory is closed."""
    made = Following(parts, wanted)
    parts.followers.add(made)
    return made


def _heard(parts: Parts, wanted: Wanted, hear: Hear) -> Listening:
    """Return who has *hear* called with what is *wanted*, until it or the memory is closed."""
    made = Listening(Following(parts, wanted), hear)
    parts.followers.add(made)
    return made
