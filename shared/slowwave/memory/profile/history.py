"""`scope.history`, `scope.versions` and `scope.outlook`: facts through time; reading them does not count as access."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from pydantic import Field

from slowwave.domain.arguments import Id, Instance, Instant, Limit, Name, checked, checked_type
from slowwave.domain.fact import Fact
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.standing import Standing
from slowwave.errors import NotFound
from slowwave.memory import counted_recall
from slowwave.memory.queries import QueryVerbs
from slowwave.memory.queries.access_tracking import counted_read
from slowwave.memory.queries.lookup import fact_id
from slowwave.store.beliefs.facts import facts, versions
from slowwave.store.memory_state.strengths import outlooks

Facts = Annotated[Sequence[Instance[Fact]], Field(max_length=MOST_RESULTS)]
Ahead = Annotated[Sequence[Annotated[int, Field(ge=0, le=36_525)]], Field(min_length=1, max_length=MOST_RESULTS)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class HistoryVerbs(QueryVerbs):
    """The verbs that read facts through time."""

    @checked
    def history(
        self, *, known_at: Instant | None = None, limit: Limit = 100, after: Id | None = None,
        session: Name | None = None,
    ) -> list[Fact]:  # fmt: skip
        """Return the facts believed in `reach`, both those that are true now and those that were true in the past.

        Sorted by subject, predicate, object and time; as known now, or at *known_at*. To continue, pass the id of the
        last fact as *after*. *session* is the caller's session, for the audit log. Raises `NotFound` if *after* is not
        among the facts.
        """
        reach = self.reach
        last = None if after is None else fact_id(self._parts, after, self.scope.tenant)

        def read(connection: Any) -> list[Fact]:
            ids = [one.id for one in reach]
            return facts(connection, ids, known_at=known_at, everything=True, after=last, most=limit)

        return counted_read(self._parts, reach, read, verb="history", session=session, accessed=False)

    @checked
    def versions(self, fact: Id, *, limit: Limit = 200, session: Name | None = None) -> list[Fact]:
        """Return every version of the belief behind *fact*, on both time axes, in the order of recording.

        For a single-valued predicate, these are its successive values. Returns at most *limit*. *session* is the
        caller's session, for the audit log. Raises `NotFound`.
        """
        id_, reach = fact_id(self._parts, fact, self.scope.tenant), self.reach

        def read(connection: Any) -> list[Fact]:
            return [one for one in versions(connection, id_, most=limit) if one.scope in reach]

        found = counted_read(self._parts, reach, read, verb="versions", session=session, accessed=False)
        if not found:
            raise NotFound(f"there is no fact {fact} here", hint="`slowwave facts` lists the ids of facts")
        return found

    @checked
    def outlook(self, facts: Facts, days: Ahead = (0,)) -> Mapping[uuid.UUID, Sequence[Standing]]:
        """Return, by fact id, the standing of each fact after each number of *days* without new episodes or recalls.

        Zero days means now. Leaves out facts without a standing. Counts recent recalls first.
        """
        counted_recall.write_accesses(self._parts)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            keys = {(fact.scope.id, fact.id) for fact in facts}
            return outlooks(connection, keys, [timedelta(days=each) for each in days])
