"""Eviction from working memory: which turns leave a conversation's, and where some that should be in it are missing."""

from collections.abc import Sequence

from slowwave.domain.working import Limits, Turn

PART = 4
"""One turn in so many leaves at a time, rounded up."""


def leaving(turns: Sequence[Turn], limits: Limits) -> int:
    """Return how many of the oldest *turns* leave: a quarter, again and again, until the rest is within *limits*."""
    left = 0
    while len(turns) - left > limits.turns or sum(turn.tokens for turn in turns[left:]) > limits.tokens:
        left += quarter(len(turns) - left)
    return left


def quarter(turns: int) -> int:
    """Return how many of so many *turns* leave at a time: one in four, rounded up."""
    return -(-turns // PART)


def missing_since(turns: Sequence[Turn], added: Turn) -> int | None:
    """Return the position after which *turns* may lack some before the one just *added*; None where they cannot.

    They lack none where the newest before it stands right before it. Where a turn is still without a position, or the
    one added is the first, anything may be missing: 0.
    """
    others = [turn.position for turn in turns if turn.id != added.id]
    stored = [position for position in others if position is not None]
    if added.position is None or max(stored, default=0) >= added.position - 1:
        return None
    return 0 if len(stored) < len(others) else max(stored, default=0)


def evicted(count: int) -> str:
    """Return what is logged of *count* messages once they have left and their summary tells of them.

    >>> evicted(3)
    'Evicted 3 messages, summary updated'
    """
    return f"Evicted {count} messages, summary updated"
