"""The parts of this process. Connections do not survive a fork and are made when a task first needs them; packs and
the embedder do, and are loaded once, before the children are forked.
"""

import os
from functools import cache

from slowwave import wiring
from slowwave.threads import keep_pauses_short
from slowwave.wiring import Settings

_loaded: dict[str, object] = {}


def load() -> None:
    """Load what every child needs and none changes, so that they share it and start at once.

    Raises `Incorrect` when a pack is wrong.
    """
    ancestor = wiring.connect(Settings.load())
    ancestor.embedder.load()
    for pack in ancestor.packs:
        pack.load()
    _loaded.update(packs=ancestor.packs, embedder=ancestor.embedder)
    keep_pauses_short()  # what is left alone is not copied by the children either


def parts() -> wiring.Parts:
    """Return the parts of the running process, never those of the process it was forked from."""
    return _of_process(os.getpid())


@cache
def _of_process(_pid: int) -> wiring.Parts:
    made = wiring.connect(Settings.load())
    vars(made).update(_loaded)
    return made
