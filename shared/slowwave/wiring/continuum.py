"""Tiered memory, composed: entries are episodes with a standing, and what is retrieved counts as used."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slowwave.core.feedback import UNKNOWN
from slowwave.domain.continuum import MemoryEntry
from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.errors import Fault, Incorrect
from slowwave.retrieval.recall import LEAST_CANDIDATES, LIMIT, OVERFETCH, recall
from slowwave.store import clock
from slowwave.store.recall.recall import Memories
from slowwave.store.standing import accesses, entries

if TYPE_CHECKING:
    from slowwave.wiring.parts import Parts


def store_entry(
    parts: "Parts",
    scope: Scope,
    content: str,
    *,
    tier: str,
    importance: float,
    said: Mapping[str, Any],
    key: str | None,
) -> MemoryEntry:
    """Store *content* on *tier*; see `slowwave.memory.continuum`."""
    problems = _tier_problems(parts, scope, [tier])
    if not 0 <= importance <= 1:
        problems.append(f"importance: expected 0 to 1, got {importance}")
    if problems:
        raise Incorrect.listing("the entry", problems, hint="SLOWWAVE_PRESET and lifecycle.yaml choose the ladder")
    named = {} if key is None else {"key": key}
    (receipt,) = parts.push(scope, [Episode(content=content, role="assistant", metadata=dict(said), **named)])
    if receipt.id is None:
        raise receipt.error or Fault("an entry got no id", hint="please report this")
    with parts.database.tenant(scope.tenant) as connection:
        entries.place(connection, scope.id, receipt.id, tier=tier, importance=importance)
        found = entries.entries(connection, scope.id, [receipt.id])
    rest = dict(said)
    source, topic = str(rest.pop("source", "")), str(rest.pop("topic", ""))
    waiting = MemoryEntry(receipt.id, content, tier, importance, source, topic, rest)  # in the outbox, it is not there
    return found.get(receipt.id, waiting)


def retrieve_entries(
    parts: "Parts", scope: Scope, query: str, *, tiers: Sequence[str] | None, limit: int, min_similarity: float
) -> list[MemoryEntry]:
    """Return what *tiers* hold that is like *query*; each counts as accessed and updates its surprise."""
    if problems := _tier_problems(parts, scope, tiers or ()):
        raise Incorrect.listing("the question", problems, hint="leave the tiers out to ask all of them")
    most = min(LIMIT, max(OVERFETCH * limit, LEAST_CANDIDATES))
    found = [
        one
        for one in recall(query, [scope], store=Memories(parts.database), embedder=parts.embedder, limit=most)
        if one.kind == "episode"
    ]
    asked, *vectors = parts.embedder.embed([query, *(one.text for one in found)])
    alike = {one.id: float(vector @ asked) for one, vector in zip(found, vectors, strict=True)}
    with parts.database.tenant(scope.tenant) as connection:
        placed = entries.entries(connection, scope.id, list(alike))
        wanted = [
            replace(entry, similarity=alike[entry.id])
            for entry in placed.values()
            if alike[entry.id] >= min_similarity and (tiers is None or entry.tier in tiers)
        ]
        best = sorted(wanted, key=lambda entry: (-(entry.similarity or 0), entry.id))[:limit]
        chosen = {entry.id for entry in best}
        used = accesses.returned(scope.tenant, [one for one in found if one.id in chosen])
        accesses.count(connection, used, {id_: alike[id_] for id_ in chosen})
    return best


def held_entries(parts: "Parts", scope: Scope, tiers: Sequence[str], *, limit: int) -> list[MemoryEntry]:
    """Return what stands on *tiers*, the most important first."""
    if problems := _tier_problems(parts, scope, tiers):
        raise Incorrect.listing("the context", problems, hint="name tiers of the ladder")
    with parts.database.tenant(scope.tenant) as connection:
        return entries.held(connection, scope.id, tiers, most=limit)


def credit_entries(parts: "Parts", scope: Scope, ids: Sequence[uuid.UUID], *, useful: float) -> None:
    """Count how useful the entries with these *ids* were, all at once. Those that are not there are left out."""
    with parts.database.tenant(scope.tenant) as connection:
        now = clock.now(connection)
        for id_, entry in sorted(entries.entries(connection, scope.id, ids).items()):
            one = accesses.Returned(scope.tenant, scope.id, id_, "episodic", entry.importance, now)
            accesses.feedback(connection, one, useful=useful, predicted=UNKNOWN)


def _tier_problems(parts: "Parts", scope: Scope, tiers: Sequence[str]) -> list[str]:
    names = [rung.name for rung in parts.lifecycle.policies.of(scope.tenant).ladder.rungs]
    return [f"tier: expected one of {', '.join(names)}, got {tier!r}" for tier in tiers if tier not in names]
