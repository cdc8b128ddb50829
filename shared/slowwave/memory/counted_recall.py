"""Recall: the scopes that a question searches, and the counts of the returned memories."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from slowwave.core.recall.synonyms import RewrittenQuestion
from slowwave.domain.queries.filters import Filters
from slowwave.domain.recollection import Recollection, Recollections
from slowwave.domain.scope import Scope
from slowwave.domain.stats import CacheMemory, Stats
from slowwave.errors import Incorrect, Unavailable
from slowwave.memory.model_calls import rewritten
from slowwave.retrieval.recall import along_relations, between_named, recall
from slowwave.rules.dates import meant
from slowwave.runtime import clock
from slowwave.store.database import again_if_lost
from slowwave.store.memory_state import accesses
from slowwave.store.recall.recall import Memories
from slowwave.wiring import Parts


def counted_recall(
    parts: Parts, scopes: Sequence[Scope], question: str, *, limit: int, at: datetime | None, filters: Filters,
    session: str | None = None, accessed: bool = True, min_score: float = 0.0, explain: bool = False,
) -> Recollections:  # fmt: skip
    """Return the answers to a question from *scopes* of one tenant; see `slowwave.retrieval.recall`.

    With *accessed*, the returned memories are counted as accessed. Without scopes, the result is empty.
    """
    if not scopes:
        return Recollections()
    parts.quotas.spend_on_recall(scopes[0].tenant, scopes[0].user)
    began = clock.monotonic()
    _ = parts.predicates  # read before the transaction
    asked = (
        rewritten(parts, scopes, question, filters, at)
        if parts.settings.restating
        else RewrittenQuestion(filters=filters)
    )

    def answers(asked: RewrittenQuestion) -> Recollections:
        return recall(
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
            filters=asked.filters,
            restated=asked,
            session=session,
            sources={"graph": along_relations, "connection": between_named},
        )

    found = again_if_lost(partial(answers, asked))
    if not found and asked.filters != filters:  # the model only guessed the filters
        asked = replace(asked, filters=filters)
        found = again_if_lost(partial(answers, asked))
    if asked.reasons:
        found[:] = [replace(one, reasons={**one.reasons, **asked.reasons}) for one in found]
    tenant = scopes[0].tenant
    if accessed:
        parts.accesses.add(tenant, found)
    parts.tally.recalled(tenant, found=len(found), milliseconds=(clock.monotonic() - began) * 1000)
    return found


def recalled_id(tenant: str, recollection: Recollection) -> accesses.Returned:
    """Return the identifier of the memory in *recollection*. Raises `Incorrect` for a changed recollection."""
    for one in accesses.returned(tenant, [recollection]):
        return one
    raise Incorrect("this recollection names no scope", hint="pass a recollection as recall returned it")


def stats(parts: Parts, tenant: str, *, hours: int) -> Stats:
    """Return the statistics of *tenant*, including this process's latest counts."""
    if "tally" in vars(parts):
        parts.tally.flush()
    return replace(parts.records.stats(tenant, hours=hours), cache_memory=_cache_memory(parts))


def _cache_memory(parts: Parts) -> CacheMemory | None:
    """Return the cache's memory usage; None if there is no cache or the cache does not answer."""
    try:
        return parts.cache.cache.memory()
    except Unavailable:
        return None


def write_accesses(parts: Parts) -> None:
    """Write the accesses that this process has counted so far to the database."""
    if "accesses" in vars(parts):
        parts.accesses.flush()
