"""Back-off: the pause before a failed run is tried again."""

LONGEST_PAUSE_SECONDS = 60.0
"""The longest pause of a window after a fault of our own code. With this limit, work resumes within a minute after an
outage."""


def pause_after(faults: int) -> float:
    """Return the pause in seconds before a run is tried again, after *faults* consecutive errors of our own code.

    >>> [pause_after(faults) for faults in (0, 1, 5, 100)]
    [1.0, 2.0, 32.0, 60.0]
    """
    return min(2.0 ** min(faults, 16), LONGEST_PAUSE_SECONDS)
