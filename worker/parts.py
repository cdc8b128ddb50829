"""The parts of this process, made when a task first needs them: connections do not survive a fork."""

import os
from functools import cache

from slowwave import wiring
from slowwave.wiring import Settings


def parts() -> wiring.Parts:
    """Return the parts of the running process, never those of the process it was forked from."""
    return _of_process(os.getpid())


@cache
def _of_process(_pid: int) -> wiring.Parts:
    return wiring.connect(Settings.load())
