"""Which turns leave a conversation's working memory: the oldest quarter, again and again, until the rest fits."""

from collections.abc import Sequence

from slowwave.domain.working import Limits, Turn

PART = 4
"""One turn in so many leaves at a time, rounded up."""


def leaving(turns: Sequence[Turn], limits: Limits) -> int:
    """Return how many of the oldest *turns* leave; none while they are within *limits*."""
    left = 0
    while len(turns) - left > limits.turns or sum(turn.tokens for turn in turns[left:]) > limits.tokens:
        left += -(-(len(turns) - left) // PART)
    return left
