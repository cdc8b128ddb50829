"""The parts of this process. Connections do not survive a fork, so a task makes them when it first needs them.

Rule packs and the embedder survive a fork, so the worker loads them once, before it forks child processes.
"""

import os
from functools import cache

from slowwave import wiring
from slowwave.threads import keep_pauses_short
from slowwave.wiring import Settings

_loaded: dict[str, object] = {}


def load() -> None:
    """Load rule packs and the embedder, so that all child processes share them and start quickly.

    Raises `Incorrect` for an invalid pack.
    """
    ancestor = wiring.connect(Settings.load())
    ancestor.embedder.load()
    for pack in ancestor.packs:
        pack.load()
    _loaded.update(packs=ancestor.packs, embedder=ancestor.embedder)
    keep_pauses_short()  # this also prevents that garbage collection copies shared memory in the children


def parts(cell: str = "") -> wiring.Parts:
    """Return the parts of this process for *cell*, never those of its parent process."""
    made = _of_process(os.getpid())
    return made if made.cells is None or not cell else made.cells.parts(cell)


@cache
def _of_process(_pid: int) -> wiring.Parts:
    made = wiring.connect(Settings.load())
    vars(made).update(_loaded)
    return made
