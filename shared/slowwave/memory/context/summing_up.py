"""The summary of a session as a part of a context."""

from collections.abc import Sequence

from slowwave.domain.context import Part
from slowwave.domain.reading.summary import SUMMARY_TOKENS
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.memory.summaries.telling import summary
from slowwave.wiring import Parts

SHARE = 4
"""The summary takes one token in so many of a small context."""


def summary_of(parts: Parts, scopes: Sequence[Scope], session: str, max_tokens: int) -> Part | None:
    """Return the summary of a session, None where nothing was said in it yet."""
    most = max(1, min(SUMMARY_TOKENS, max_tokens // SHARE))
    try:
        told = summary(parts, scopes, session, max_tokens=most, session=session)
    except NotFound:
        return None
    if not told.text:
        return None
    return Part(
        "summary", told.text, sources=told.sources, id=told.fact, scope=told.scope, session=session, occurred=told.at
    )
