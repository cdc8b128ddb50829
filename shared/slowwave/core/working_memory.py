"""Eviction from working memory: the turns that leave a conversation, and gaps in those that remain."""

from collections.abc import Sequence

from slowwave.domain.working_memory import Limits, Turn

PART = 4
"""One in this many turns leaves at a time, rounded up."""


def eviction_count(turns: Sequence[Turn], limits: Limits) -> int:
    """Return how many of the oldest *turns* leave: a quarter at a time, until the rest is within *limits*."""
    left = 0
    while len(turns) - left > limits.turns or sum(turn.tokens for turn in turns[left:]) > limits.tokens:
        left += quarter(len(turns) - left)
    return left


def quarter(turns: int) -> int:
    """Return how many of *turns* turns leave at a time: one in four, rounded up."""
    return -(-turns // PART)


def missing_since(turns: Sequence[Turn], added: Turn) -> int | None:
    """Return the position after which *turns* may have a gap before the one just *added*; None if they have none.

    There is none if the newest turn before it has the position just before. If a turn has no position yet, or the added
    one is the first, any may be missing: 0.
    """
    others = [turn.position for turn in turns if turn.id != added.id]
    stored = [position for position in others if position is not None]
    if added.position is None or max(stored, default=0) >= added.position - 1:
        return None
    return 0 if len(stored) < len(others) else max(stored, default=0)


def evicted(count: int) -> str:
    """Return the log line for *count* messages that have left and are in the summary.

    >>> evicted(3)
    'Evicted 3 messages, summary updated'
    """
    return f"Evicted {count} messages, summary updated"
