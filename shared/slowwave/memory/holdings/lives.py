"""`scope.history`, `scope.versions` and `scope.outlook`: facts through time, of which looking at them is no use."""

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
from slowwave.memory import answers
from slowwave.memory.reading import Reading
from slowwave.memory.reading.handing import handed_out
from slowwave.memory.reading.naming import fact_id
from slowwave.store.beliefs.facts import facts, versions
from slowwave.store.standing.strengths import outlooks

Facts = Annotated[Sequence[Instance[Fact]], Field(max_length=MOST_RESULTS)]
Ahead = Annotated[Sequence[Annotated[int, Field(ge=0, le=36_525)]], Field(min_length=1, max_length=MOST_RESULTS)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Lives(Reading):
    """A face on which facts are told through time."""

    @checked
    def history(
        self, *, known_at: Instant | None = None, limit: Limit = 100, after: Id | None = None,
        session: Name | None = None,
    ) -> list[Fact]:  # fmt: skip
        """Return the facts believed in `reach` of any time in the world, what was so before beside what is so now.

        By subject, predicate, object and time; as known now, or *known_at* another time. Go on with *after*, the id of
        the last one. *session* is the one in which you ask, for the audit. Raises `NotFound` for an *after* that is not
        among them.
        """
        reach = self.reach
        last = None if after is None else fact_id(self._parts, after, self.scope.tenant)

        def read(connection: Any) -> list[Fact]:
            ids = [one.id for one in reach]
            return facts(connection, ids, known_at=known_at, everything=True, after=last, most=limit)

        return handed_out(self._parts, reach, read, verb="history", session=session, accessed=False)

    @checked
    def versions(self, fact: Id, *, limit: Limit = 200, session: Name | None = None) -> list[Fact]:
        """Return every version of the belief that *fact* is of, on both axes of time, in the order they were recorded.

        Of a predicate that holds one value that is whatever was believed of it in turn. At most *limit*. *session* is
        the one in which you ask, for the audit. Raises `NotFound`.
        """
        id_, reach = fact_id(self._parts, fact, self.scope.tenant), self.reach

        def read(connection: Any) -> list[Fact]:
            return [one for one in versions(connection, id_, most=limit) if one.scope in reach]

        found = handed_out(self._parts, reach, read, verb="versions", session=session, accessed=False)
        if not found:
            raise NotFound(f"there is no fact {fact} here", hint="`slowwave facts` lists the ids of what is believed")
        return found

    @checked
    def outlook(self, facts: Facts, days: Ahead = (0,)) -> Mapping[uuid.UUID, Sequence[Standing]]:
        """Return by the ids of *facts* how each stands so many *days* from now, if nobody asks or tells till then.

        0 is now. What has no standing is left out. What was just recalled is counted first.
        """
        answers.write_accesses(self._parts)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            keys = {(fact.scope.id, fact.id) for fact in facts}
            return outlooks(connection, keys, [timedelta(days=each) for each in days])
