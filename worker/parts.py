"""The parts of this process. Connections do not survive a fork, so a task makes them when it first needs them. Rule
packs and the embedder do survive it, and are loaded once, before the child processes are forked.
"""

import os
from functools import cache

from slowwave import wiring
from slowwave.threads import keep_pauses_short
from slowwave.wiring import Settings

_loaded: dict[str, object] = {}


def load() -> None:
    """Load what every child process reads and none changes, so that they share it and start quickly.

    Raises `Incorrect` when a pack is wrong.
    """
    ancestor = wiring.connect(Settings.load())
    ancestor.embedder.load()
    for pack in ancestor.packs:
        pack.load()
    _loaded.update(packs=ancestor.packs, embedder=ancestor.embedder)
    keep_pauses_short()  # memory that is not touched is not copied by the children either


def parts() -> wiring.Parts:
    """Return the parts of the running process, never those of its parent process."""
    return _of_process(os.getpid())


@cache
def _of_process(_pid: int) -> wiring.Parts:
    made = wiring.connect(Settings.load())
    vars(made).update(_loaded)
    return made
