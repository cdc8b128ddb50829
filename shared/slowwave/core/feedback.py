"""Feedback: a memory's success counts and surprise after it helped, or did not."""

ALPHA = 0.3
"""How much the newest surprise counts against all before."""

UNKNOWN = 0.5
"""How useful a memory is taken to be, and was expected to be, where nobody says."""

HELPED = 0.5
"""What is more useful than this counts as a success."""


def surprise_of(useful: float = UNKNOWN, predicted: float = UNKNOWN) -> float:
    """Return the surprise of a memory, in [0, 1]: how much more useful it was than predicted; less useful is none.

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
