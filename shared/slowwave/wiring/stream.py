"""A scope's episodes as a stream, composed: found by meaning and told in order, or summarised over a time."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from slowwave.core.summary import Line, join
from slowwave.domain.recollection import Recollection
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect
from slowwave.inference.summariser import ExtractiveSummariser
from slowwave.retrieval.recall import LIMIT, recall
from slowwave.store.recall import timeline
from slowwave.store.recall.recall import Memories

if TYPE_CHECKING:
    from slowwave.wiring.parts import Parts

OVERFETCH = 4
"""What is asked for beyond the limit, for facts are found too and left out."""


def recall_stream(parts: "Parts", scope: Scope, question: str, *, limit: int) -> list[Recollection]:
    """Return the *limit* episodes of *scope* that answer *question* best, in the order they happened."""
    found = recall(
        question,
        [scope],
        store=Memories(parts.database),
        embedder=parts.embedder,
        limit=min(LIMIT, OVERFETCH * limit) if limit > 0 else limit,
    )
    best = [one for one in found if one.kind == "episode"][:limit]
    return sorted(best, key=lambda one: (one.occurred, one.sources[0].position))


def summarise_stream(parts: "Parts", scope: Scope, time_range: Sequence[datetime]) -> str:
    """Return a summary of what was said in *scope* from one time up to another; empty when nobody said anything."""
    if len(time_range) != 2 or any(at.utcoffset() is None for at in time_range) or time_range[0] >= time_range[1]:
        raise Incorrect("the time range must be two times with a zone, the earlier first")
    since, until = time_range
    lines: list[Line] = []
    after = 0
    with parts.database.tenant(scope.tenant) as connection:
        while said := timeline.said(connection, scope.id, since, until, after=after):
            lines = ExtractiveSummariser().summarise(lines, said)
            after = said[-1].position
    return join(lines)
