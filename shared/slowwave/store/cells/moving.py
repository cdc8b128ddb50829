"""The move of a tenant to another cell: a copy while the tenant is in use, then the switch.

Until the switch, the source is the truth; after it, the target. The switch is one row in the source, so it happens or
does not. A move that was interrupted anywhere is finished or taken back by the next one.
"""

import math
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from slowwave.errors import Conflict
from slowwave.store import advisory_locks, cells
from slowwave.store.cells import Mark, copying

FEW = 1_000
"""If a copy found at most this number of changed rows, or more than half as many as the copy before, the next one runs
while the tenant waits.
"""


@dataclass(frozen=True, slots=True)
class End:
    """One end of a move: the name of a cell, its number among *step* cells, and its address as slowwave_owner."""

    name: str
    number: int
    step: int
    owner_url: str


@contextmanager
def alone(end: End, tenant: str) -> Iterator[None]:
    """Prevent other moves of *tenant* during the block, by a lock in one cell that all moves use.

    Raises `Unavailable` while there is another move.
    """
    with cells.owner(end.owner_url) as connection, connection.transaction():
        cells.lock(connection, advisory_locks.MOVING, tenant)
        yield


def carry(source: End, target: End, tenant: str, say: Callable[[str], None]) -> None:
    """Copy *tenant* to *target* while it is in use, then switch. Raises `Unavailable` if the tenant is never idle, and
    `Conflict` if the copies differ, if another move of the tenant began, or if a process without cells is connected to
    *source*; then this move changes nothing.
    """
    mark = Mark("arriving", uuid.uuid4(), source.name)
    with cells.owner(source.owner_url) as here, cells.owner(target.owner_url) as there:
        copy = copying.Copy(here, there, tenant)
        cells.refuse_others(here, source.name)

        def round_() -> int:
            with there.transaction():
                _only(there, tenant, mark)
                _only(here, tenant, None)
                return copy.round()

        with there.transaction():
            before_it = cells.held_mark(there, tenant)
            cells.set_mark(there, tenant, mark)  # after this, no other move can end here
            _only(here, tenant, None)
            if before_it is None and cells.has_rows(there, tenant):
                raise Conflict(f"{target.name} has rows of {tenant} that no move brought", hint="please report this")
        before, rows = math.inf, math.inf
        while FEW < rows <= before / 2:
            before = rows
            with here.transaction():
                here.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                rows = round_()
            say(f"copied {rows} rows while {tenant} is in use")
        with ExitStack() as held:
            with here.transaction():
                cells.lock(here, advisory_locks.PRESENT, tenant)
                cells.lock(here, advisory_locks.BACKGROUND)
                rows = round_()
                cells.pass_numbers(there, target.number, target.step)
                held.enter_context(there.transaction())  # it ends after the switch; until then nobody clears the target
                _only(there, tenant, mark)
                if differing := copy.differing():
                    raise Conflict(
                        f"the copies of {tenant} differ in {', '.join(differing)}; it stays in {source.name}",
                        hint="run the command again",
                    )
                cells.refuse_others(here, source.name)
                cells.set_mark(here, tenant, Mark("left", mark.move, target.name))
            cells.drop_mark(there, tenant, mark.move)
        say(f"copied {rows} rows while {tenant} waited; it is in {target.name} now")


def _only(connection: cells.Owner, tenant: str, mark: Mark | None) -> None:
    """Hold the mark of *tenant* until the end of the transaction. Raises `Conflict` if it is not *mark*."""
    if cells.held_mark(connection, tenant) != mark:
        raise Conflict(f"another move of {tenant} began", hint="see `slowwave cells list`, and run the command again")


def truth(end: End, tenant: str) -> Mark | None:
    """Return why *tenant* is not in the cell, although the file says so; None if it is there."""
    with cells.owner(end.owner_url) as connection:
        return cells.mark(connection, tenant)


def arrive(end: End, tenant: str, move: uuid.UUID) -> None:
    """Finish a move whose switch happened."""
    with cells.owner(end.owner_url) as connection:
        cells.drop_mark(connection, tenant, move)


def clear(end: End, tenant: str) -> None:
    """Delete what a cell still has of *tenant*, which is in another cell.

    Rows without a mark are never deleted: they would be the tenant's own.
    """
    with cells.owner(end.owner_url) as connection, connection.transaction():
        mark = cells.held_mark(connection, tenant)
        if mark is None:
            return
        copying.see(connection, tenant)
        copying.delete_rows(connection)
        if mark.state == "arriving":
            cells.drop_mark(connection, tenant, mark.move)
        else:
            cells.set_cleared(connection, tenant)
