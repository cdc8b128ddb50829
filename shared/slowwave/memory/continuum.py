"""The continuum: memory entries by timescale and importance. Entries move between tiers automatically."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from slowwave.core.feedback import UNKNOWN
from slowwave.core.recall.query import LEAST_CANDIDATES, LIMIT, OVERFETCH
from slowwave.core.tiers import TierPolicy
from slowwave.domain.arguments import Cosine, Instance, Limit, Metadata, Name, Names, Note, Question, Share, checked
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.episode import Episode, key_or_new
from slowwave.domain.queries.filters import Filters
from slowwave.domain.recollection import Recollection
from slowwave.errors import Incorrect
from slowwave.memory import due_work
from slowwave.memory.verb_group import VerbGroup
from slowwave.ports.recall import is_slow
from slowwave.retrieval.recall import recall
from slowwave.store import transaction
from slowwave.store.database import again_if_lost
from slowwave.store.memory_state import accesses, entries
from slowwave.store.recall.recall import Memories

OneEntry = Instance[MemoryEntry]


class ContinuumMemory(VerbGroup):
    """The entries of one agent with one user in one channel, on the configured tiers.

    An entry is an episode. No content is lost when an entry moves to a colder tier.
    """

    __slots__ = ()

    @checked
    def store(
        self, content: Question, tier: Name | None = None, importance: Share | None = None, source: Note = "",
        topic: Note = "", metadata: Metadata | None = None, *, key: Name | None = None,
    ) -> MemoryEntry:  # fmt: skip
        """Store *content* on *tier*; return the entry, which later moves automatically.

        With a *key*, a repeat changes nothing.

        Without *tier*, a higher *importance* selects a hotter tier. Without both, the importance is 0.5 and the entry
        starts on the initial tier. Raises `Incorrect` for an unknown tier or an importance outside 0 to 1. Raises
        `Unavailable` while Postgres is down, because entries never wait in the outbox.
        """
        if problems := self._tier_problems([] if tier is None else [tier]):
            raise Incorrect.listing("the entry", problems, hint="SLOWWAVE_PRESET and lifecycle.yaml define the tiers")
        tiers = self._tiers()
        begins = tier or (tiers.entry if importance is None else tiers.entry_for(importance))
        initial_importance = UNKNOWN if importance is None else importance
        fields = {**(metadata or {}), "source": source, "topic": topic}
        episode = Episode(content=content, role="assistant", metadata=fields, key=key_or_new(key))
        beside = entries.putting_on(self.scope.id, tier=begins, importance=initial_importance)

        (receipt,) = self._parts.storing(beside)(self.scope, [episode])
        if receipt.error is not None:
            raise receipt.error
        with self._parts.database.tenant(self.scope.tenant) as connection:
            found = entries.entries(connection, self.scope.id, [self.scope.episode_id(episode.key)])
        (entry,) = found.values()
        return entry

    @checked
    def retrieve(
        self, query: Question, tiers: Names | None = None, limit: Limit = 5, min_similarity: Cosine = 0.3
    ) -> list[MemoryEntry]:
        """Return the *limit* entries most similar to *query*, with a cosine of at least *min_similarity*.

        Each returned entry is counted as accessed. If a later call of `outcome` names retrieved entries, the usefulness
        minus the similarity counts as their surprise.
        """
        if problems := self._tier_problems(tiers or ()):
            raise Incorrect.listing("the question", problems, hint="leave the tiers out to search all of them")
        self._parts.quotas.spend_on_recall(self.scope.tenant, self.scope.user)
        alike, found = self._candidates(query, tiers, min(LIMIT, max(OVERFETCH * limit, LEAST_CANDIDATES)))
        with self._parts.database.tenant(self.scope.tenant) as connection:
            stored = entries.entries(connection, self.scope.id, list(alike))
            wanted = [
                replace(entry, similarity=alike[entry.id])
                for entry in stored.values()
                if alike[entry.id] >= min_similarity
            ]
            best = sorted(wanted, key=lambda entry: (-(entry.similarity or 0), entry.id))[:limit]
            chosen = {entry.id for entry in best}
            accesses.count(connection, accesses.returned(self.scope.tenant, [one for one in found if one.id in chosen]))
        return best

    @checked
    def context(self, limit: Limit = 20, tiers: Names | None = None) -> list[MemoryEntry]:
        """Return the most important entries for the start of an agent's session, most important first.

        Without *tiers*, these are entries on the initial tier and on the tier above.
        """
        if problems := self._tier_problems(tiers or ()):
            raise Incorrect.listing("the context", problems, hint="name existing tiers")
        tier_names = self._tiers().context_tiers if tiers is None else tiers
        with self._parts.database.tenant(self.scope.tenant) as connection:
            return entries.most_important(connection, self.scope.id, tier_names, most=limit)

    @checked
    def outcome(
        self, content: Question, *, success: bool, references: Sequence[OneEntry | uuid.UUID] = (), topic: Note = ""
    ) -> MemoryEntry:
        """Store an outcome, record that the entries in *references* helped or failed, and request consolidation.

        Returns the entry of the outcome. The expected usefulness of a retrieved entry is its similarity. Usefulness
        above this value counts as a surprise.
        """
        stored = self.store(content, source="outcome", topic=topic, metadata={"success": success})
        expected = {one.id: one.similarity for one in references if isinstance(one, MemoryEntry)}
        unread = {one: None for one in references if isinstance(one, uuid.UUID)}
        self._credit(unread | expected, useful=float(success))
        due_work.fire(self._parts, self.scope.id)
        return stored

    def _candidates(
        self, query: str, tiers: Sequence[str] | None, most: int
    ) -> tuple[dict[uuid.UUID, float], list[Recollection]]:
        """Return the episodes found for *query* on *tiers*, each with its similarity."""
        store, embedder = Memories(self._parts.database), self._parts.embedder_for(self.scope)
        wanted = Filters(kinds=["episode"], tiers=tiers)
        found = again_if_lost(
            lambda: recall(query, [self.scope], store=store, embedder=embedder, limit=most, filters=wanted)
        )
        if is_slow(embedder):
            return {one.id: one.reasons.get("similarity", 0.0) for one in found}, found
        asked, *vectors = embedder.embed([query, *(one.text for one in found)])
        return {one.id: float(vector @ asked) for one, vector in zip(found, vectors, strict=True)}, found

    def _credit(self, expected: Mapping[uuid.UUID, float | None], *, useful: float) -> None:
        """Record the usefulness *useful* for entries. Missing entries are skipped.

        *expected* maps each entry to its expected usefulness, or to None if the entry was not retrieved.
        """
        with self._parts.database.tenant(self.scope.tenant) as connection:
            now = transaction.now(connection)
            for id_, entry in sorted(entries.entries(connection, self.scope.id, list(expected)).items()):
                one = accesses.Returned(self.scope.tenant, self.scope.id, id_, "episodic", entry.importance, now)
                alike = expected[id_]
                predicted = UNKNOWN if alike is None else max(0.0, alike)
                accesses.feedback(connection, one, useful=useful, predicted=predicted)

    def _tiers(self) -> TierPolicy:
        return self._parts.lifecycle.policies.of(self.scope.tenant).tiers

    def _tier_problems(self, tiers: Sequence[str]) -> list[str]:
        names = [level.name for level in self._tiers().levels]
        return [f"tier: expected one of {', '.join(names)}, got {tier!r}" for tier in tiers if tier not in names]
