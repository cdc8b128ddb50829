"""A process that moves a tenant, and kills itself some steps after an event of the move. It prints the events.

`python killed_move.py TENANT CELL EVENT STEPS`: the process ends before the given step after this event (by number).
Without a kill, EVENT is 0. SLOWWAVE_CELLS names the file of the cells. A step is a message to or from a database.
"""

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

import psycopg

from slowwave import wiring
from slowwave.settings import Settings
from slowwave.store import cells
from slowwave.store.cells import copying
from slowwave.wiring import moving

tenant, to, event, steps = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
events: list[str] = []
left = 0


def reached() -> None:
    """Count a step, and end the process at the last one."""
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)


def noted(name: str) -> None:
    """Note an event; count the steps from the last one on."""
    global left
    events.append(name)
    if len(events) == event:
        left = steps


def before(owner: Any, name: str, act: Callable[[], None]) -> None:
    """Call *act* before each call of a function."""
    real = getattr(owner, name)

    def instead(*arguments: Any, **named: Any) -> Any:
        act()
        return real(*arguments, **named)

    setattr(owner, name, instead)


before(psycopg.Connection, "wait", reached)
for owner, name in ((cells, "lock"), (cells, "set_mark"), (cells, "drop_mark"), (copying, "delete_rows")):
    before(owner, name, partial(noted, name))
before(os, "replace", partial(noted, "replace"))
before(os, "replace", reached)
parts = wiring.connect(Settings.load())
moving.move(parts, tenant, to, lambda _: None)
parts.close()
print(*events)
