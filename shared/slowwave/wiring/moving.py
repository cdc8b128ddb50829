"""The operator's actions on cells: adding a cell, listing the cells, moving a tenant, and draining a cell."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Conflict, Incorrect, NotFound, Unavailable
from slowwave.settings import Settings, secret
from slowwave.store import cells as store
from slowwave.store.cells import moving
from slowwave.wiring.cells import MOST_CELLS, Cell, Cells, CellsFile
from slowwave.wiring.connections import connect, migrate_database, register_if_new
from slowwave.wiring.parts import Parts

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class CellState:
    """A cell with the size of its database and its tenants; *trouble* says why the size is unknown."""

    name: str
    cell: Cell
    is_default: bool
    bytes: int | None
    tenants: Sequence[str]
    trouble: str = ""


def listing(parts: Parts) -> list[CellState]:
    """Return every cell. An unreachable cell is listed too, with the tenants that the file names."""
    cells, found = known(parts), []
    layout = cells.layout
    for name, one in cells.each().items():
        tenants = sorted(tenant for tenant, where in layout.tenants.items() if where == name)
        size, trouble = None, ""
        try:
            size = store.size_and_presence(one.database, "")[0]
        except Unavailable as error:
            trouble = error.message
        found.append(CellState(name, layout.cells[name], name == layout.default, size, tenants, trouble))
    return found


def add(settings: Settings, name: str, url: str, owner_url: str, weight: float | None = None) -> CellState:
    """Make the database at *url* a cell, and write it to the file. If repeated, the rest of its entry stays.

    Both addresses may be `env:NAME`, for the value of an environment variable. The first cell may have tenants. Raises
    `Incorrect` if a later one has some, or for an invalid address.
    """
    path = file_of(settings)
    file = CellsFile(path)
    before = file.layout.cells if path.exists() else {}
    number = before[name].number if name in before else max((cell.number for cell in before.values()), default=-1) + 1
    if number >= MOST_CELLS:
        raise Incorrect(f"there are {MOST_CELLS} cells", hint="use fewer and larger databases")
    entry = {"number": number, "url": url, "owner_url": owner_url} | ({} if weight is None else {"weight": weight})
    cell = Cell.of(entry)
    assert cell.owner_url is not None
    others = [known_cell for other, known_cell in before.items() if other != name]
    tenants = _prepared(settings, name, cell, others, new=name not in before)
    with file.changing() as raw:
        raw.setdefault("default", name)
        raw.setdefault("cells", {}).setdefault(name, {}).update(entry)
        raw.setdefault("tenants", {}).update(dict.fromkeys(tenants, name))
    with closing(connect(settings)) as parts:
        return next(one for one in listing(parts) if one.name == name)


def _prepared(settings: Settings, name: str, cell: Cell, others: Sequence[Cell], *, new: bool) -> list[str]:
    """Migrate and prepare the database of a cell; return the tenants to list, which are those of the first cell."""
    owner = _owner(cell)
    with store.owner(owner) as connection:
        if (present := store.name_of(connection)) not in (None, name):
            raise Incorrect(f"this database is the cell {present!r} already", hint="use a new database")
    migrate_database(owner)
    alone = settings.model_copy(update={"url": cell.url, "owner_url": cell.owner_url, "cells": None})
    with closing(connect(alone)) as parts:
        tenants = [tenant for tenant in parts.database.tenants() if tenant != SYSTEM_TENANT] if new else []
        if tenants and others:
            raise Incorrect(
                f"this database has {len(tenants)} tenants, and only the first cell may have tenants",
                hint="`slowwave export` its memories, and `slowwave import` them into the installation",
            )
        if new:
            register_if_new(parts)
    above: dict[str, int] = {}
    for other in others:
        with store.owner(_owner(other)) as connection:
            for counter, last in store.last_numbers(connection).items():
                above[counter] = max(last, above.get(counter, 0))
    with store.owner(owner) as connection:
        store.prepare(connection, name)
        store.number_rows(connection, cell.number, MOST_CELLS, above)
    return tenants


def migrate(parts: Parts) -> None:
    """Migrate and prepare every cell, and register the packs in it."""
    for one in known(parts).each().values():
        owner = _owner(known(parts).cell(one.cell))
        migrate_database(owner)
        with store.owner(owner) as connection:
            store.prepare(connection, one.cell)
            store.number_rows(connection, known(parts).cell(one.cell).number, MOST_CELLS, {})
        register_if_new(one)


def move(parts: Parts, tenant: str, to: str, say: Say) -> None:
    """Move *tenant* to the cell *to* while it is in use, or finish or take back a move that was interrupted.

    For some seconds at the end, calls of the tenant raise `Unavailable`. Raises `NotFound` for an unknown tenant or
    cell, `Unavailable` if the tenant is never idle or another move of it runs, and `Conflict` if the copies differ.
    Then the tenant stays where it was.
    """
    cells = known(parts)
    ends = {name: _end(cells, name) for name in cells.layout.cells}
    if to not in ends:
        raise NotFound(f"there is no cell {to!r}", hint=f"the cells are {', '.join(ends)}")
    if tenant not in cells.layout.tenants:
        raise NotFound(f"there is no tenant {tenant!r}", hint="`slowwave cells list` shows the tenants of each cell")
    with moving.alone(ends[cells.layout.default], tenant):
        source = _where(cells, ends, tenant)
        if source != to:
            moving.carry(ends[source], ends[to], tenant, say)
            cells.record(tenant, to)
        for name, end in ends.items():
            if name != to:
                moving.clear(end, tenant)


def _where(cells: Cells[Parts], ends: Mapping[str, moving.End], tenant: str) -> str:
    """Return the cell of *tenant*, after a switch that was interrupted is finished and written to the file."""
    name = cells.layout.tenants[tenant]
    for _ in ends:
        mark = moving.truth(ends[name], tenant)
        if mark is None:
            cells.record(tenant, name)
            return name
        if mark.cell not in ends or mark.state != "left":
            break
        name = mark.cell
        moving.arrive(ends[name], tenant, mark.move)
    raise Conflict(f"no cell says that it has {tenant}", hint="please report this")


def drain(parts: Parts, cell: str, say: Say) -> list[str]:
    """Move every tenant away from *cell*, which gets no new tenants from now on; return the tenants.

    Raises `Crowded` if no other cell has room.
    """
    cells = known(parts)
    cells.cell(cell)
    with cells.changing() as raw:
        raw["cells"][cell]["weight"] = 0
    tenants = [tenant for tenant, where in sorted(cells.layout.tenants.items()) if where == cell]
    for tenant in tenants:
        move(parts, tenant, cells.roomiest(tenant, without=cell), say)
    return tenants


def known(parts: Parts) -> Cells[Parts]:
    """Return the cells of *parts*. Raises `Incorrect` without SLOWWAVE_CELLS."""
    if parts.cells is None:
        raise Incorrect("SLOWWAVE_CELLS is not set", hint="set it to the path of cells.yaml")
    return parts.cells


def file_of(settings: Settings) -> Path:
    """Return the path of the file of the cells. Raises `Incorrect` without SLOWWAVE_CELLS."""
    if settings.cells is None:
        raise Incorrect("SLOWWAVE_CELLS is not set", hint="set it to the path of cells.yaml")
    return settings.cells


def _owner(cell: Cell) -> str:
    if (found := secret(cell.owner_url)) is None:
        raise Incorrect("a cell has no owner_url", hint="it is the address of the database as the login slowwave_owner")
    return found


def _end(cells: Cells[Parts], name: str) -> moving.End:
    cell = cells.cell(name)
    return moving.End(name, cell.number, MOST_CELLS, _owner(cell))
