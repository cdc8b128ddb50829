"""Questions answered and counted: what is returned counts as accessed, and as a recall of its tenant."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from slowwave import clock
from slowwave.domain.reading.filters import Filters
from slowwave.domain.recollection import Recollection, Recollections
from slowwave.domain.scope import Scope
from slowwave.domain.stats import CacheMemory, Stats
from slowwave.errors import Incorrect, Unavailable
from slowwave.retrieval.recall import recall
from slowwave.retrieval.relations import along_relations, between_named
from slowwave.rules.dates import meant
from slowwave.store.recall.recall import Memories
from slowwave.store.standing import accesses
from slowwave.wiring import Parts


def answer(
    parts: Parts,
    scopes: Sequence[Scope],
    question: str,
    *,
    limit: int,
    at: datetime | None,
    filters: Filters,
    session: str | None = None,
    accessed: bool = True,
    min_score: float = 0.0,
    explain: bool = False,
) -> Recollections:
    """Answer a question from *scopes* of one tenant; see `slowwave.retrieval.recall`. What it finds was *accessed*.

    Where there is no scope to look in nothing answers.
    """
    if not scopes:
        return Recollections()
    began = clock.monotonic()
    _ = parts.predicates  # read before the transaction
    found = recall(
        question,
        scopes,
        store=Memories(parts.database),
        embedder=parts.embedder,
        apart=parts.embedders(scopes),
        nearness=parts.nearness,
        scorers=parts.scorers,
        resolve=meant,
        min_score=min_score,
        explain=explain,
        limit=limit,
        now=at,
        filters=filters,
        session=session,
        sources={"graph": along_relations, "connection": between_named},
    )
    tenant = scopes[0].tenant
    if accessed:
        parts.accesses.add(tenant, found)
    parts.tally.recalled(tenant, found=len(found), milliseconds=(clock.monotonic() - began) * 1000)
    return found


def returned(tenant: str, recollection: Recollection) -> accesses.Returned:
    """Return which memory *recollection* is. Raises `Incorrect` for one that is not as recall returned it."""
    for one in accesses.returned(tenant, [recollection]):
        return one
    raise Incorrect("this recollection names no scope", hint="hand back what recall returned, as it is")


def stats(parts: Parts, tenant: str, *, hours: int) -> Stats:
    """Return the statistics of *tenant*, with what this process has counted up to now."""
    if "tally" in vars(parts):
        parts.tally.flush()
    return replace(parts.records.stats(tenant, hours=hours), cache_memory=_cache_memory(parts))


def _cache_memory(parts: Parts) -> CacheMemory | None:
    """Return what the cache says of its memory; None where there is none, or it does not tell: nothing hangs on it."""
    try:
        return parts.cache.cache.memory()
    except Unavailable:
        return None


def write_accesses(parts: Parts) -> None:
    """Write the accesses that this process has counted so far."""
    if "accesses" in vars(parts):
        parts.accesses.flush()
