"""`slowwave cells`: the databases of an installation, and the tenants in each of them."""

import contextlib
from collections.abc import Iterator

import click

from slowwave import wiring
from slowwave.cli.options import json_option
from slowwave.cli.options.choices import Listing
from slowwave.cli.printing import print_json
from slowwave.formatting import counted
from slowwave.wiring import Settings, moving

MOST_NAMES = 10
"""The maximum number of tenants that the list shows for one cell."""


@click.group(cls=Listing, usual="list")
def cells_command() -> None:
    """List the cells, add a cell, or move tenants. A cell is a database with some of the tenants.

    SLOWWAVE_CELLS names the file of the cells. Without a subcommand, list the cells.
    """


@cells_command.command("list")
@json_option
def list_cells(as_json: bool) -> None:
    """List the cells with their sizes and tenants."""
    found = []
    if Settings.load().cells is not None:
        with _opened() as parts:
            found = moving.listing(parts)
    if not found and not as_json:
        click.echo("all tenants are in one database; SLOWWAVE_CELLS would name the file of several")
    if as_json:
        return print_json([
            {"cell": one.name, "default": one.is_default, "number": one.cell.number, "weight": one.cell.weight,
             "bytes": one.bytes, "tenants": list(one.tenants)}
            for one in found
        ])  # fmt: skip
    for one in found:
        size = one.trouble if one.bytes is None else f"{one.bytes / 2**20:.0f} MB"
        names = ", ".join(one.tenants[:MOST_NAMES]) + (", …" if len(one.tenants) > MOST_NAMES else "")
        notes = [*(["default"] if one.is_default else []), *([] if one.cell.weight else ["takes no new tenants"])]
        click.echo(f"{one.name:<13}{', '.join([size, counted(len(one.tenants), 'tenants'), *notes])}")
        if names:
            click.echo(f"{'':<13}{names}")
    return None


@cells_command.command
@click.argument("name")
@click.option("--url", required=True, help="The address as the login slowwave, or env:VARIABLE.")
@click.option("--owner-url", required=True, help="The address as the login slowwave_owner, or env:VARIABLE.")
@click.option("--weight", type=click.FloatRange(min=0), help="The share of new tenants: 1 at first; 0 takes none.")
def add(name: str, url: str, owner_url: str, weight: float | None) -> None:
    """Make a database the cell NAME, and write it to the file.

    The command migrates the database and registers the rule packs in it. The database of the first cell may have
    tenants; stop the processes that use it first, and start them again with SLOWWAVE_CELLS instead of SLOWWAVE_URL.
    """
    one = moving.add(Settings.load(), name, url, owner_url, weight)
    click.echo(f"{one.name} is a cell with {counted(len(one.tenants), 'tenants')}")


@cells_command.command
@click.argument("tenant")
@click.option("--to", required=True, metavar="CELL", help="The cell that the tenant moves to.")
def move(tenant: str, to: str) -> None:
    """Move TENANT to another cell while it is in use.

    At the end, calls of the tenant wait some seconds. If the command was interrupted, run it again: it finishes the
    move. With the cell in which the tenant still is, it takes the move back.
    """
    with _opened() as parts:
        moving.move(parts, tenant, to, click.echo)
    click.echo(f"{tenant} is in {to}")


@cells_command.command
@click.argument("cell")
def drain(cell: str) -> None:
    """Move every tenant of CELL to the other cells, where there is room. CELL gets no new tenants."""
    with _opened() as parts:
        tenants = moving.drain(parts, cell, click.echo)
    click.echo(f"{cell} is empty: {counted(len(tenants), 'tenants')} moved")


@contextlib.contextmanager
def _opened() -> Iterator[wiring.Parts]:
    settings = Settings.load()
    moving.file_of(settings)
    with contextlib.closing(wiring.connect(settings)) as parts:
        yield parts
