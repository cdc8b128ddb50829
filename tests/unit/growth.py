"""How much longer something takes for twice as much: in processor time of this thread, so that no neighbour counts."""

import time
from collections.abc import Callable

AT_MOST = 2.5
"""Twice the text may take so many times as long; reading it again from every character would take four times."""
_LONG = 0.2


def seconds(work: Callable[[], object], *, times: int = 3) -> float:
    """The processor time of the fastest of some runs."""
    best = float("inf")
    for _ in range(times):
        started = time.thread_time()
        work()
        best = min(best, time.thread_time() - started)
    return best


def growth(read: Callable[[str], object], text: Callable[[int], str], *sizes: int) -> float:
    """How many times as long twice the text takes, at the first of the *sizes* at which that is not too much.

    A cache that fills or a pause makes one size slow; what reads a text over and over is slow at every one.
    """
    ratio = float("inf")
    for size in sizes:
        one, two = text(size), text(2 * size)
        once = seconds(lambda text=one: read(text), times=2)  # type: ignore[misc]
        ratio = min(ratio, seconds(lambda text=two: read(text), times=1) / once)  # type: ignore[misc]
        if ratio > AT_MOST:  # a neighbour on the core has caches of its own: once more, before it is believed
            ratio = min(ratio, seconds(lambda text=two: read(text)) / seconds(lambda text=one: read(text)))  # type: ignore[misc]
        if ratio <= AT_MOST or once > _LONG:
            break
    return ratio
