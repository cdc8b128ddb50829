"""Workers that die while they pack: a process that kills itself, or a run that an uncaught exception ends.

The points are counted from the first statement of packing on: each of its statements, before and after, then both sides
of each end of a transaction.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection

from slowwave import wiring
from slowwave.domain.job_table import PREPARE
from slowwave.memory import due_work
from slowwave.store.blocks import packing
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.database import Database
from slowwave.wiring import Settings
from tests.faults.rig.forked import forked
from tests.faults.rig.killed import HEAVY

WAIT_SECONDS = 60.0


class Killed(BaseException):
    """An exception that no handler of ours catches. It stands for the death of the process."""


def kill() -> None:
    """End this process as the kernel does."""
    os.kill(os.getpid(), signal.SIGKILL)


def die() -> None:
    """End what runs here, and leave the process."""
    raise Killed


class Points:
    """The points of a run that packs: at number *at* it ends by *end*."""

    def __init__(self, at: int, end: Callable[[], None]) -> None:
        self._left, self._end, self._packing = at, end, False

    def execute_binary(self, connection: Connection, statement: str, parameters: Any) -> Any:
        """Run a statement of packing, between two points."""
        self._packing = True
        self.reach()
        rows = execute_binary(connection, statement, parameters)
        self.reach()
        return rows

    def reach(self) -> None:
        """Count a point, and end here if it is the one."""
        if self._packing:
            self._left -= 1
            if self._left == 0:
                self._end()


def killed(url: str, at: int) -> bool:
    """Let a worker of prepare kill itself at point *at* of its packing; return whether it came there.

    Raises AssertionError when it ended in any other way but well.
    """
    worker = forked(_work, url, at)
    worker.join(WAIT_SECONDS)
    assert worker.exitcode in (0, -signal.SIGKILL), f"prepare ended with {worker.exitcode}"
    return worker.exitcode != 0


def _work(url: str, at: int) -> None:
    points = Points(at, kill)

    class Mortal(Database):
        @contextmanager
        def tenant(self, tenant: str, **options: Any) -> Iterator[Connection]:
            with super().tenant(tenant, **options) as connection:
                yield connection
                points.reach()
            points.reach()

    parts = wiring.connect(Settings.load(url=url, lease_seconds=60, statements=False))
    vars(parts).update(HEAVY)
    parts.database.__class__ = Mortal  # the same database, but it kills the process
    setattr(packing, "PACKED_FROM", 1)  # noqa: B010 - it is meant to be replaced
    setattr(packing, "execute_binary", points.execute_binary)  # noqa: B010 - it is meant to be replaced
    while due_work.run_next(parts, owner="mortal", only=[PREPARE]):
        pass
