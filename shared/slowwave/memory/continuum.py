"""Memory by timescale and importance: entries that rise and fall by themselves."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from slowwave.core.feedback import UNKNOWN
from slowwave.domain.arguments import Cosine, Instance, Limit, Metadata, Name, Names, Note, Question, Share, checked
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.episode import Episode, key_or_new
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Fault, Incorrect
from slowwave.memory import storing, work
from slowwave.retrieval.recall import LEAST_CANDIDATES, LIMIT, OVERFETCH, recall
from slowwave.store import clock
from slowwave.store.recall.recall import Memories
from slowwave.store.standing import accesses, entries
from slowwave.wiring import Parts

CONTEXT = ("slow", "medium")
"""The tiers a context begins with."""

OneEntry = Instance[MemoryEntry]


@dataclass(frozen=True, slots=True)
class ContinuumMemory:
    """The entries of one agent with one user in one channel, on the tiers of the ladder `aragora_hope`.

    With another ladder its own tiers can be named. An entry is an episode: nothing of it is lost when it falls.
    """

    parts: Parts = field(repr=False)
    scope: Scope

    @checked
    def store(
        self,
        content: Question,
        tier: Name = "slow",
        importance: Share = 0.5,
        source: Note = "",
        topic: Note = "",
        metadata: Metadata | None = None,
        *,
        key: Name | None = None,
    ) -> MemoryEntry:
        """Store *content* on *tier*; it rises and falls from there. With a *key*, a repeat changes nothing.

        Raises `Incorrect` for a tier that is none and an importance outside 0 to 1.
        """
        if problems := self._tier_problems([tier]):
            raise Incorrect.listing("the entry", problems, hint="SLOWWAVE_PRESET and lifecycle.yaml choose the ladder")
        rest = dict(metadata or {})
        said = {**rest, "source": source, "topic": topic}
        receipt = storing.push(
            self.parts,
            self.scope,
            Episode(content=content, role="assistant", metadata=said, key=key_or_new(key)),
        )
        if receipt.id is None:
            raise Fault("an entry got no id", hint="please report this")
        with self.parts.database.tenant(self.scope.tenant) as connection:
            entries.place(connection, self.scope.id, receipt.id, tier=tier, importance=importance)
            found = entries.entries(connection, self.scope.id, [receipt.id])
        waiting = MemoryEntry(receipt.id, content, tier, importance, source, topic, rest)  # in the outbox: not there
        return found.get(receipt.id, waiting)

    @checked
    def retrieve(
        self, query: Question, tiers: Names | None = None, limit: Limit = 5, min_similarity: Cosine = 0.3
    ) -> list[MemoryEntry]:
        """Return the *limit* entries most like *query*, of all tiers or some, none below *min_similarity* (a cosine).

        Each counts as accessed, and its surprise is updated: what was more useful than alike.
        """
        if problems := self._tier_problems(tiers or ()):
            raise Incorrect.listing("the question", problems, hint="leave the tiers out to ask all of them")
        alike, found = self._candidates(query, min(LIMIT, max(OVERFETCH * limit, LEAST_CANDIDATES)))
        with self.parts.database.tenant(self.scope.tenant) as connection:
            placed = entries.entries(connection, self.scope.id, list(alike))
            wanted = [
                replace(entry, similarity=alike[entry.id])
                for entry in placed.values()
                if alike[entry.id] >= min_similarity and (tiers is None or entry.tier in tiers)
            ]
            best = sorted(wanted, key=lambda entry: (-(entry.similarity or 0), entry.id))[:limit]
            chosen = {entry.id for entry in best}
            used = accesses.returned(self.scope.tenant, [one for one in found if one.id in chosen])
            accesses.count(connection, used, {id_: alike[id_] for id_ in chosen})
        return best

    @checked
    def context(self, limit: Limit = 20, tiers: Names = CONTEXT) -> list[MemoryEntry]:
        """Return what an agent begins with: what the slower tiers hold, the most important first."""
        if problems := self._tier_problems(tiers):
            raise Incorrect.listing("the context", problems, hint="name tiers of the ladder")
        with self.parts.database.tenant(self.scope.tenant) as connection:
            return entries.held(connection, self.scope.id, tiers, most=limit)

    @checked
    def outcome(
        self, content: Question, *, success: bool, references: Sequence[OneEntry | uuid.UUID] = (), topic: Note = ""
    ) -> MemoryEntry:
        """Store how something ended, credit the entries it referred to, and ask for consolidation."""
        stored = self.store(content, source="outcome", topic=topic, metadata={"success": success})
        self._credit([one.id if isinstance(one, MemoryEntry) else one for one in references], useful=float(success))
        work.fire(self.parts, self.scope.id)
        return stored

    def _candidates(self, query: str, most: int) -> tuple[dict[uuid.UUID, float], list[Recollection]]:
        """Return how alike *query* and each of the episodes found for it are, and the episodes."""
        store, embedder = Memories(self.parts.database), self.parts.embedder
        found = [
            one
            for one in recall(query, [self.scope], store=store, embedder=embedder, limit=most)
            if one.kind == "episode"
        ]
        asked, *vectors = embedder.embed([query, *(one.text for one in found)])
        return {one.id: float(vector @ asked) for one, vector in zip(found, vectors, strict=True)}, found

    def _credit(self, ids: Sequence[uuid.UUID], *, useful: float) -> None:
        """Count how useful the entries with these *ids* were, all at once. Those that are not there are left out."""
        with self.parts.database.tenant(self.scope.tenant) as connection:
            now = clock.now(connection)
            for id_, entry in sorted(entries.entries(connection, self.scope.id, ids).items()):
                one = accesses.Returned(self.scope.tenant, self.scope.id, id_, "episodic", entry.importance, now)
                accesses.feedback(connection, one, useful=useful, predicted=UNKNOWN)

    def _tier_problems(self, tiers: Sequence[str]) -> list[str]:
        names = [rung.name for rung in self.parts.lifecycle.policies.of(self.scope.tenant).ladder.rungs]
        return [f"tier: expected one of {', '.join(names)}, got {tier!r}" for tier in tiers if tier not in names]
