"""A user's profile and history, independent of a question: `scope.profile`, `remember`, `history`."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from slowwave.core.profile import profile_of
from slowwave.domain.arguments import Hours, Id, Instance, Instant, Limit, Name, Names, Question, checked, checked_type
from slowwave.domain.fact import Fact
from slowwave.domain.graph import ConceptNode
from slowwave.domain.limits import MOST_RESULTS
from slowwave.domain.queries.bundle import MemoryBundle
from slowwave.domain.queries.profile import Profile
from slowwave.domain.recollection import Recollection
from slowwave.domain.standing import Standing
from slowwave.errors import NotFound
from slowwave.memory import counted_recall
from slowwave.memory.goals import Goals
from slowwave.memory.graph import Graph
from slowwave.memory.patterns import Strategies
from slowwave.memory.queries import QueryVerbs
from slowwave.memory.queries.access_tracking import counted_read
from slowwave.memory.queries.lookup import fact_id
from slowwave.rules.profile import load_profile
from slowwave.store.beliefs.facts import facts, versions
from slowwave.store.memory_state.standing import outlooks
from slowwave.store.queries.people import of_user
from slowwave.store.transaction import now

Facts = Annotated[Sequence[Instance[Fact]], Field(max_length=MOST_RESULTS)]
Ahead = Annotated[Sequence[Annotated[int, Field(ge=0, le=36_525)]], Field(min_length=1, max_length=MOST_RESULTS)]


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class HistoryVerbs(QueryVerbs):
    """The verbs that read the history of facts."""

    @checked
    def history(
        self, *, known_at: Instant | None = None, limit: Limit = 100, after: Id | None = None,
        session: Name | None = None,
    ) -> list[Fact]:  # fmt: skip
        """Return the facts believed in `reach` that are true now, and the facts that were true in the past.

        With *known_at*, the result has the facts that were known at that time. Facts are sorted by subject, predicate,
        object and time. To continue, pass the id of the last fact as *after*. *session* is the caller's session, for
        the audit log. Raises `NotFound` if *after* is not among the facts.
        """
        reach = self.reach
        last = None if after is None else fact_id(self._parts, after, self.scope.tenant)

        def read(connection: Any) -> list[Fact]:
            ids = [one.id for one in reach]
            return facts(connection, ids, known_at=known_at, everything=True, after=last, most=limit)

        return counted_read(self._parts, reach, read, verb="history", session=session, accessed=False)

    @checked
    def versions(self, fact: Id, *, limit: Limit = 200, session: Name | None = None) -> list[Fact]:
        """Return every version of the belief behind *fact*, with valid time and recorded time, in the order of
        recording.

        For a single-valued predicate, the versions include the successive values. Returns at most *limit* versions.
        *session* is the caller's session, for the audit log. Raises `NotFound`.
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
        """Return the expected standings of each fact, by the fact's id: one standing for each number of *days* from
        now.

        The forecast assumes that no episode or recall is added. Zero days means now. Facts without a standing are left
        out. The method first writes the accesses that this process has counted.
        """
        counted_recall.write_accesses(self._parts)
        with self._parts.database.tenant(self.scope.tenant) as connection:
            keys = {(fact.scope.id, fact.id) for fact in facts}
            return outlooks(connection, keys, [timedelta(days=each) for each in days])


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class ProfileVerbs(HistoryVerbs):
    """The verbs that return a user's profile and history."""

    @checked
    def profile(self, *, limit: Limit = 20, session: Name | None = None) -> Profile:
        """Return the user's profile: preferences, expertise areas, communication style, and more.

        The profile consists of the typed facts that are now believed about the user in `reach`. Only the 1 000 latest
        facts are read. Each part has at most *limit* entries, strongest first, then newest first. Each entry has a fact
        and reasons. `policies/profile.yaml` assigns facts to parts. *session* is the caller's session, for the audit
        log.
        """
        reach, takes = self.reach, load_profile(self._parts.settings.rules)
        made: list[Profile] = []

        def read(connection: Any) -> list[Fact]:
            active = of_user(connection, reach, most=MOST_RESULTS)
            made[:] = [profile_of(self.scope.user, takes, active, limit)]
            return [entry.fact for entry in made[0].entries]

        counted_read(self._parts, reach, read, verb="profile", session=session)
        return made[0]

    @checked
    def remember(
        self, question: Question, *, top_k: Limit = 10, include_episodic: bool = True, include_semantic: bool = True,
        include_procedural: bool = True, time_window_hours: Hours | None = None, channels: Names | None = None,
        session: Name | None = None,
    ) -> MemoryBundle:  # fmt: skip
        """Return the memories relevant to *question*, grouped by kind, at most *top_k* per kind, best first.

        Turns are episodic memories. Facts, entities, goals and the profile are semantic memories. Strategies are
        procedural memories. Excluded kinds are not searched. *time_window_hours* leaves out older turns and facts.
        *channels* limits the search for turns, facts and strategies. *session* is the caller's session, for the audit
        log.
        """
        parts, scope, since = self._parts, self.scope, self._since(time_window_hours)

        def recalled(kind: Literal["episode", "fact"]) -> list[Recollection]:
            return self.recall(
                question, limit=top_k, kinds=[kind], since=since, channels=channels, session=session
            )  # fmt: skip

        return MemoryBundle(
            turns=recalled("episode") if include_episodic else [],
            facts=recalled("fact") if include_semantic else [],
            entities=self._entities(question, top_k, session) if include_semantic else [],
            strategies=Strategies(parts, scope, self.reads).find_strategies(question, channels, top_k, session=session)
            if include_procedural
            else [],
            goals=Goals(parts, scope).list(limit=top_k, session=session) if include_semantic else [],
            profile=self.profile(limit=top_k, session=session)
            if include_semantic
            else profile_of(scope.user, (), (), 0),
        )

    def _entities(self, question: str, top_k: int, session: str | None) -> list[ConceptNode]:
        graph = Graph(self._parts, self.scope, self.reads).query(question, depth=1, top_k=top_k, session=session)
        return list(graph.nodes.values())

    def _since(self, hours: int | None) -> datetime | None:
        if hours is None:
            return None
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return now(connection) - timedelta(hours=hours)
