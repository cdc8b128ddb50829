"""The growth of processor time with the size of the input, measured in this thread alone."""

import gc
import time
from collections.abc import Callable

AT_MOST = 2.5
"""Twice the text may take so many times as long; reading it again from every character would take four times."""
_LONG = 0.2
_ROUNDS = 8


def seconds(work: Callable[[], object], *, times: int = 3) -> float:
    """The processor time of the fastest of some runs. What others left behind is collected by none of them."""
    best = float("inf")
    gc.disable()
    try:
        for _ in range(times):
            started = time.thread_time()
            work()
            best = min(best, time.thread_time() - started)
    finally:
        gc.enable()
    return best


def growth(read: Callable[[str], object], text: Callable[[int], str], *sizes: int) -> float:
    """How many times as long twice the text takes, at the first of the *sizes* at which that is not too much.

    A cache that fills or a pause makes one size slow; what reads a text over and over is slow at every one. A
    neighbour on the core has caches of its own: both texts in turns, until the fastest of each say that it is well.
    """
    ratio = float("inf")
    for size in sizes:
        one, two = text(size), text(2 * size)
        once = twice = float("inf")
        for _ in range(_ROUNDS):
            once = min(once, seconds(lambda text=one: read(text), times=2))  # type: ignore[misc]
            twice = min(twice, seconds(lambda text=two: read(text), times=2))  # type: ignore[misc]
            if twice / once <= AT_MOST:
                return twice / once
        ratio = min(ratio, twice / once)
        if once > _LONG:
            break
    return ratio
