"""Waiting for something to become true, with a deadline: never for a guessed time."""

import time
from collections.abc import Callable
from typing import TypeVar

from slowwave.runtime import clock

DEADLINE_SECONDS = 90.0
LOOK_SECONDS = 0.1
"""Often enough not to wait, seldom enough not to be a load of its own."""

T = TypeVar("T")


def until(
    found: Callable[[], T | None],
    what: str,
    *,
    seconds: float = DEADLINE_SECONDS,
    look: float = LOOK_SECONDS,
    otherwise: Callable[[], str] = str,
) -> T:
    """Return what *found* finds first; fail with *what*, and what *otherwise* says, after *seconds*."""
    end = clock.monotonic() + seconds
    while True:
        result = found()
        if result:
            return result
        if clock.monotonic() > end:
            raise AssertionError(f"not within {seconds:g} s: {what}\n{otherwise()}")
        time.sleep(look)
