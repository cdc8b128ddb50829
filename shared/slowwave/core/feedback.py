"""Feedback: a memory's success count and surprise after it did or did not help."""

ALPHA = 0.3
"""The weight of the newest surprise in the moving average."""

UNKNOWN = 0.5
"""The default for how useful a memory was, and was expected to be."""

HELPED = 0.5
"""The usefulness above which a use counts as a success."""


def surprise_of(useful: float = UNKNOWN, predicted: float = UNKNOWN) -> float:
    """Return the surprise of a memory, in [0, 1]: how far its usefulness exceeded the prediction; 0 if it did not.

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
