"""The catalog of our tables in Postgres, as text: two databases with the same catalog have the same schema."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from tests.unit.tables import table as rows_of

ROWS = rows_of(__file__)

# One statement per kind of object, for tables only: partitions depend on the date.
CATALOG = ROWS["catalog"]

# The objects other than tables.
BEYOND = ROWS["beyond"]


def catalog(connection: psycopg.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the catalog of our tables."""
    return _known(connection, CATALOG)


def schema(connection: psycopg.Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Return the catalog, and the functions, policies and rights that the revisions created."""
    return _known(connection, CATALOG | BEYOND)


@dataclass(frozen=True)
class Column:
    """A column of a table of ours: its type as Postgres names it, and whether the database fills it in."""

    name: str
    type: str
    generated: bool
    identity: bool


def columns(connection: psycopg.Connection) -> Mapping[str, Sequence[Column]]:
    """Return the columns of every table of ours in their order, by the name of the table."""
    found: dict[str, list[Column]] = defaultdict(list)
    for table, name, _, type_, _, identity, generated, *_ in sorted(
        catalog(connection)["columns"], key=lambda row: (row[0], row[2])
    ):
        found[table].append(Column(name, type_, bool(generated.strip()), bool(identity.strip())))
    return found


def _known(connection: psycopg.Connection, statements: dict[str, str]) -> dict[str, list[tuple[Any, ...]]]:
    ours = (
        "WITH ours AS (SELECT * FROM pg_class WHERE relnamespace = 'public'::regnamespace "
        "AND relkind IN ('r', 'p') AND NOT relispartition AND relname NOT IN ('alembic_version', 'test_clock')) "
    )
    return {
        name: sorted(connection.execute(f"{ours} {statement}".encode()).fetchall(), key=repr)
        for name, statement in statements.items()
    }
