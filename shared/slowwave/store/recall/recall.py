"""The reads of a recall: its candidates, and the other data of the memories that it returns."""

import uuid
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from slowwave.core.blocks.estimate import Measures, Word
from slowwave.core.recall.adjustments import salient_memory
from slowwave.core.recall.candidate import Candidate, Ranked, is_of_user
from slowwave.core.recall.candidates import Candidates, count_names
from slowwave.core.recall.outdated import Ended
from slowwave.core.recall.query import Near, Query, Unprepared
from slowwave.core.recall.scoring import Bm25, Scoring, Weights
from slowwave.core.recall.synonyms import NearWords
from slowwave.domain.claim import Source
from slowwave.domain.graph import SCHEMATIC_FREQUENCY
from slowwave.domain.queries.episode import EpisodeFilters
from slowwave.domain.queries.filters import EVERYTHING, Filters
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.ports import Vectors
from slowwave.store import transaction
from slowwave.store.audit import log as audit
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.database import Database
from slowwave.store.graph.questions import connected, walked
from slowwave.store.memory_state import standing
from slowwave.store.queries.episodes import newest
from slowwave.store.recall import opening
from slowwave.store.recall.access_path import indexed_candidates
from slowwave.store.recall.episode_candidates import END_CHARACTERS, Question, candidate, filtering, flat
from slowwave.store.recall.opening import Opening, words_of
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import policy_of, registry_of

LOOKED_BACK = 200
"""The maximum number of turns of excluded sessions to skip."""

_TYPES = {"fact": "semantic", "episode": "episodic"}


class Memories:
    """The memories of an installation, read one tenant at a time.

    If *whole* is true, every scope is read completely, however large the scope is.
    """

    def __init__(self, database: Database, *, whole: bool = False) -> None:
        self._database, self._whole = database, whole

    @contextmanager
    def reading(self, tenant: str, query: Query | None = None) -> Iterator["TenantMemories"]:
        """Return a context manager for a transaction that reads one tenant's memories, to answer *query* if given."""
        with (
            self._database.reading(tenant, plans="force_generic_plan") as connection,
            opening.opened(connection, query) as opened,
        ):
            yield TenantMemories(connection, tenant, self._whole, opened)


@dataclass(frozen=True, slots=True)
class TenantMemories:
    """One tenant's memories, read within a transaction. *opened* has the states of scopes at the beginning.

    *lapsed* has, for each scope that was read from the cache, the positions of the episodes whose beliefs have ended.
    """

    connection: Connection
    tenant: str
    whole: bool = False
    opened: Opening = field(default_factory=Opening)
    lapsed: dict[uuid.UUID, Set[int]] = field(default_factory=dict)

    def unprepared(self, scopes: Sequence[uuid.UUID], *, most: int, characters: int) -> tuple[list[Unprepared], int]:
        """Return the newest episodes of *scopes* without a vector, at most *most*, and the number of all such episodes.

        Each text is cut after *characters*.
        """
        waiting = self.opened.waiting(scopes)
        if not waiting:
            return [], 0
        rows = execute_binary(self.connection, *opening.asks_for_unprepared(waiting, most, characters))
        newest = [Unprepared(scope, position, text[:characters]) for scope, position, text, _ in rows]
        return newest, rows[0][-1] if rows else 0

    def candidates(
        self,
        scopes: Sequence[uuid.UUID],
        question: str,
        vector: Vectors | None,
        *,
        space: str,
        most: int,
        now: datetime | None,
        weights: Weights,
        filters: Filters = EVERYTHING,
        unprepared: Near | None = None,
        called: Mapping[uuid.UUID, str] | None = None,
        beside: Collection[uuid.UUID] = (),
        near_words: Sequence[NearWords] = (),
    ) -> Candidates:
        """Return at most *most* memories (good matches and their neighbours), and at most *most* `statement` facts.

        *vector* is the question's vector in *space*; without it, only words count. The facts are believed at present,
        and valid at the time *now* (default: the database's time). *filters* apply before the best memories are chosen.
        A memory without a stored state is on the entry tier. *unprepared* has the similarities of episodes that have no
        stored vector. *called* has the name of each scope's user. The memories in *beside* are always included. A match
        with one of *near_words* (words of similar meaning) counts only in part. Speakers' names count as words, with
        the weight `weights.named`.
        """
        near, called = unprepared or {}, called or {}
        words = Bm25()
        query_words = words_of(self.connection, question, near_words)
        sought = [Word(one.lexeme, dict(one.near)) for one in query_words]
        asked = {
            "scopes": list(scopes),
            "vector": vector,
            "space": space,
            "most": most,
            "now": now,
            "k1": words.k1,
            "b": words.b,
            "similarity": weights.similarity,
            "keyword": weights.keyword,
            "lift": weights.lift,
            **filtering(filters),
            "near_scopes": [scope for scope, _ in near],
            "near_positions": [position for _, position in near],
            "near_similarities": list(near.values()),
            "called_scopes": list(called),
            "called": list(called.values()),
            "of_user": is_of_user(question),
            "beside": list(beside),
            "end_characters": END_CHARACTERS,
            "entry": policy_of(self.connection).tiers.entry,
            "shelved": filters.archived or not policy_of(self.connection).archives,
        }
        found = None
        if not self.whole and filters.tiers is None:
            by = Measures(weights.similarity, weights.keyword, weights.lift, words.k1, words.b)
            put = Question(sought, vector, most, by, filters, near, beside, asked)
            if (indexed := indexed_candidates(self.connection, scopes, put)) is not None:
                found = indexed.candidates
                self.lapsed.update(indexed.lapsed)
        if found is None:
            execute_binary(self.connection, "SET LOCAL plan_cache_mode = auto", {})
            rows = execute(self.connection, "recall/candidates", **asked, **flat(sought)).all()
            found = Candidates.of((candidate(*row) for row in rows), len(query_words))
        numbers = {form: number for number, one in enumerate(query_words) for form in one.forms}
        return count_names(found, question, numbers, called.values(), weights.named)

    def led_to(
        self, scopes: Sequence[uuid.UUID], question: str, *, most: int, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        """Return at most *most* facts on paths along the question's relations, each with the score of its path."""
        found = walked(self.connection, scopes, question, most=most, at=now)
        return {one.way.links[-1].fact: one.score for one in found}

    def connecting(
        self, scopes: Sequence[uuid.UUID], question: str, *, now: datetime | None
    ) -> Mapping[uuid.UUID, float]:
        """Return the facts on shortest paths between the entities in *question*, each with 1 / (length of the path)."""
        return connected(self.connection, scopes, question, at=now)

    def latest(self, scopes: Sequence[Scope], filters: Filters, *, most: int) -> list[uuid.UUID]:
        """Return the ids of the latest episodes that pass *filters*, at most *most*, the latest first.

        The search skips at most `LOOKED_BACK` episodes of excluded sessions, and then stops.
        """
        if filters.kinds is not None and "episode" not in filters.kinds:
            return []
        episode_filters = EpisodeFilters(
            None, filters.roles, filters.sessions, filters.since, filters.until, archived=filters.archived
        )
        others = set(filters.exclude_sessions or ())
        found = newest(self.connection, scopes, episode_filters, most=most + LOOKED_BACK if others else most)
        return [one.id for one in found if one.session not in others][:most]

    def names(self, scopes: Sequence[uuid.UUID]) -> Mapping[uuid.UUID, str]:
        """Return the names of users, by scope; omit unknown names."""
        return opening.names(self.connection, self.tenant, scopes, self.opened)

    def scoring(self) -> Scoring:
        """Return the scoring rules of this tenant."""
        policy = policy_of(self.connection)
        return replace(policy.scoring, entry=policy.tiers.entry)

    def standings(self, candidates: Sequence[Candidate]) -> Mapping[uuid.UUID, Standing]:
        """Return the states of *candidates*, with their present strength.

        A memory without a stored state gets an initial state if the policy scores strength; otherwise it is left out.
        """
        policy = policy_of(self.connection)
        found = standing.standings(self.connection, [(one.scope, one.id) for one in candidates])
        if policy.scoring.strength:
            now = transaction.now(self.connection)
            for one in candidates:
                if one.id not in found:
                    made = replace(salient_memory(one, None).standing, tier=policy.tiers.entry)
                    found[one.id] = replace(made, strength=policy.decay.strength(made, now))
        return found

    def tenses(self, candidates: Sequence[Candidate], now: datetime | None) -> dict[uuid.UUID, str]:
        """Return the tense in which each fact of *candidates* was stated, or `past` if the fact has ended by *now*."""
        facts = [one for one in candidates if one.kind == "fact"]
        asked = {"scopes": [one.scope for one in facts], "facts": [one.id for one in facts], "at": now}
        return {row.fact: row.tense for row in execute_binary(self.connection, sql("recall/tenses"), asked)}

    def ended(self, turns: Sequence[Candidate], question: str, now: datetime | None) -> dict[uuid.UUID, Ended]:
        """Return, by turn id, when and by what all beliefs of a turn ended; omit turns with a belief that has not
        ended.

        In each turn, only the beliefs that share the most words with the question count. If no belief shares a word,
        all beliefs of the turn count. A belief has ended if its end is before *now*.
        """
        places = {
            (one.scope, one.position): one
            for one in turns
            if (lapsed := self.lapsed.get(one.scope)) is None or one.position in lapsed
        }
        if not places:
            return {}
        asked = {
            "scopes": [scope for scope, _ in places],
            "positions": [position for _, position in places],
            "received": [one.received for one in places.values()],
            "question": question,
            "roles": " ".join(sorted(registry_of(self.connection).roles_in(question))),
            "now": now,
        }
        rows = execute_binary(self.connection, sql("recall/ended"), asked)
        return {places[row.scope, row.position].id: Ended(row.until, _ending(row), whole=row.whole) for row in rows}

    def corrected(
        self, turns: Sequence[Candidate], facts: Sequence[Candidate], question: str, now: datetime | None
    ) -> dict[uuid.UUID, Ended]:
        """Return, by turn id, the last correction that took back a belief from the turn, for those of *turns* with one.

        Only corrections that made one of *facts* count. A turn is left out if another belief from the turn is still
        believed and shares more words with *question* than the corrected belief.
        """
        places = {(one.scope, one.position): one.id for one in turns}
        scopes, positions = [one.scope for one in turns], [one.position for one in turns]
        by = {"scopes": scopes, "positions": positions, "facts": [one.id for one in facts]}
        rows = execute_binary(self.connection, sql("recall/corrected"), {**by, "question": question, "now": now})
        return {places[row.scope, row.position]: Ended(row.until, _ending(row), whole=False) for row in rows}

    def schematic(self, ranked: Sequence[Ranked]) -> set[uuid.UUID]:
        """Return the facts of *ranked* that name a schematic entity, which is an entity with many facts."""
        facts = [one.candidate for one in ranked if one.candidate.kind == "fact"]
        asked = {
            "scopes": [one.scope for one in facts],
            "facts": [one.id for one in facts],
            "least": SCHEMATIC_FREQUENCY,
        }
        return set(execute(self.connection, "graph/schematic", **asked).scalars())

    def contents(self, ranked: Sequence[Ranked]) -> dict[uuid.UUID, tuple[str, int]]:
        """Return the content of each episode of *ranked* and the speaker's UTC offset in seconds, by memory id."""
        episodes = [one.candidate for one in ranked if one.candidate.kind == "episode"]
        if not episodes:
            return {}
        rows = execute_binary(
            self.connection,
            sql("recall/contents"),
            {
                "scopes": [episode.scope for episode in episodes],
                "positions": [episode.position for episode in episodes],
                "received": [episode.received for episode in episodes],
            },
        )
        return {id_: (text, ahead) for id_, text, ahead in rows}

    def audit(
        self, question: str, scopes: Sequence[Scope], found: Sequence[Ranked], latency_ms: float, session: str | None
    ) -> None:
        """Write an audit row of an answer, if reads are audited: the searched scopes and the results by scope."""
        if not audit.audits(self.connection, "reads"):
            return
        kinds = {one.candidate.kind for one in found}
        audit.log_read(
            self.connection,
            question,
            memory_type=_TYPES[kinds.pop()] if len(kinds) == 1 else audit.ALL,
            searched=scopes,
            found={scope: [one.candidate.id for one in found if one.candidate.scope == scope.id] for scope in scopes},
            latency_ms=latency_ms,
            session=session,
        )


def _ending(row: Any) -> Candidate:
    """Return the turn in a row, which ended the beliefs of another turn."""
    return Candidate(
        "episode", row.id, row.scope, row.by, row.session, row.occurred, row.received, timedelta(seconds=row.age),
        row.speaker, 0.0, 0.0, (Source(row.id, row.key, row.by, 0, 0),), role=row.role,
    )  # fmt: skip
