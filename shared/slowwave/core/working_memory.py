"""Eviction from working memory: which turns leave a conversation, and gaps between the remaining turns."""

from collections.abc import Sequence

from slowwave.domain.working_memory import Limits, Turn

PART = 4
"""The divisor of an eviction. One in four turns leaves at a time, rounded up."""


def eviction_count(turns: Sequence[Turn], limits: Limits) -> int:
    """Return how many of the oldest *turns* to evict, so that the other turns are within *limits*.

    Turns are evicted a quarter at a time.
    """
    left = 0
    while len(turns) - left > limits.turns or sum(turn.tokens for turn in turns[left:]) > limits.tokens:
        left += quarter(len(turns) - left)
    return left


def quarter(turns: int) -> int:
    """Return the number of turns to evict at a time, which is a quarter of *turns*, rounded up."""
    return -(-turns // PART)


def missing_since(turns: Sequence[Turn], added: Turn) -> int | None:
    """Return the position after which *turns* may have a gap before the turn *added*, or None if there is no gap.

    There is no gap if the newest of the other turns has the position just before *added*. The result is 0, because any
    turn may be missing, if one of the other turns has no position yet, or if *added* is the first turn.
    """
    others = [turn.position for turn in turns if turn.id != added.id]
    stored = [position for position in others if position is not None]
    if added.position is None or max(stored, default=0) >= added.position - 1:
        return None
    return 0 if len(stored) < len(others) else max(stored, default=0)


def evicted(count: int) -> str:
    """Return the log line for *count* messages that have left working memory and are in the summary.

    >>> evicted(3)
    'Evicted 3 messages, summary updated'
    """
    return f"Evicted {count} messages, summary updated"
