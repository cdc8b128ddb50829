"""A worker that kills itself while it packs.

The points are counted from the first statement of packing on: each of its statements, before and after, then both sides
of each end of a transaction.
"""

from typing import Any

from sqlalchemy import Connection

from slowwave import wiring
from slowwave.domain.job_table import PREPARE
from slowwave.memory import due_work
from slowwave.store.blocks import packing
from slowwave.store.blocks.binary_results import execute_binary
from tests.faults.rig.killed import Mortal, dies


def killed(url: str, at: int) -> bool:
    """Let a worker of prepare kill itself at point *at* of its packing; return whether it came there.

    Raises AssertionError when it ended in any other way but well.
    """
    return dies(_prepare, url, 0, at)


def _prepare(parts: wiring.Parts, at: int) -> None:
    database = parts.database
    assert isinstance(database, Mortal)
    database.left = None  # it is counted from the first statement on

    def counted(connection: Connection, statement: str, parameters: Any) -> Any:
        database.left = at if database.left is None else database.left
        database._age()
        rows = execute_binary(connection, statement, parameters)
        database._age()
        return rows

    setattr(packing, "PACKED_FROM", 1)  # noqa: B010 - it is meant to be replaced
    setattr(packing, "execute_binary", counted)  # noqa: B010 - it is meant to be replaced
    while due_work.run_next(parts, owner="mortal", only=[PREPARE]):
        pass
