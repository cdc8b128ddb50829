"""The growth of processor time with the size of the input, measured in this thread alone."""

import gc
import time
from collections.abc import Callable

AT_MOST = 2.5
"""The largest accepted factor for twice the text; reading the text again from every character would give four."""
_LONG = 0.2
_ROUNDS = 8


def seconds(work: Callable[[], object], *, times: int = 3) -> float:
    """Return the processor time of the fastest run. The garbage collector is off during the runs."""
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
    """Return the factor by which twice the text takes longer, at the first of *sizes* with an acceptable factor.

    A cache that fills, or a pause, makes one size slow; repeated reading of the text makes every size slow. Another
    process on the core evicts our caches, so both texts are read in turn until the fastest readings are acceptable.
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
