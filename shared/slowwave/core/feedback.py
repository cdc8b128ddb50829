"""Feedback: the success count and the surprise of a memory after it helped or did not help."""

ALPHA = 0.3
"""The weight of the newest surprise in the moving average."""

UNKNOWN = 0.5
"""The default usefulness of a memory, and its default expected usefulness."""

HELPED = 0.5
"""The usefulness above which a use counts as a success."""


def surprise_of(useful: float = UNKNOWN, predicted: float = UNKNOWN) -> float:
    """Return the surprise of a memory, in [0, 1], which is its usefulness minus the predicted usefulness, but at least
    0.

    >>> surprise_of(1.0, 0.25), surprise_of(0.2, 0.9)
    (0.75, 0.0)
    """
    return max(0.0, useful - predicted)


def averaged(before: float, surprise: float, alpha: float = ALPHA) -> float:
    """Return the moving average after one more *surprise*.

    >>> averaged(0.5, 0.5)
    0.5
    """
    return alpha * surprise + (1 - alpha) * before
