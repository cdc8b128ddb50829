"""The summary of a session as a part of a context."""

import uuid
from collections.abc import Collection, Sequence

from slowwave.domain.context import Part
from slowwave.domain.queries.summary import SUMMARY_TOKENS, resting
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory.summaries.session_summary import summary
from slowwave.wiring import Parts

SHARE = 4
"""The divisor of a small context's tokens: its summary gets a quarter of them."""


def summary_part(
    parts: Parts, scopes: Sequence[Scope], session: str, max_tokens: int, in_mind: Collection[uuid.UUID | None]
) -> Part | None:
    """Return the summary of a session without the episodes *in_mind*; None if nothing is left."""
    most = max(1, min(SUMMARY_TOKENS, max_tokens // SHARE))
    try:
        told = summary(parts, scopes, session, max_tokens=most, session=session)
    except NotFound:
        return None
    lines = [line for line in told.lines if not {source.episode for source in resting([line])} <= set(in_mind)]
    if not lines:
        return None
    return Part(
        "summary",
        "\n".join(line.text for line in lines),
        sources=resting(lines),
        id=told.fact,
        scope=told.scope,
        session=session,
        occurred=told.at,
    )
