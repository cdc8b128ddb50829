"""A valid row for any table, so that a new table is tested without further code."""

import itertools
import uuid
from collections.abc import Callable, Mapping
from typing import Any

import psycopg
from psycopg import sql

_NUMBERS = itertools.count(1)

_BY_TYPE: Mapping[str, Callable[[], Any]] = {
    "text": lambda: f"text {next(_NUMBERS)}",
    "uuid": uuid.uuid4,
    "bigint": lambda: next(_NUMBERS),
    "integer": lambda: 1,
    "smallint": lambda: 1,
    "boolean": lambda: True,
    "double precision": lambda: 0.5,
    "bytea": lambda: b"%032d" % next(_NUMBERS),
    "jsonb": lambda: "{}",
    "timestamp with time zone": lambda: "now",
    "date": lambda: "2026-01-01",
    "tstzrange": lambda: "[2026-01-01,)",
    "tstzmultirange": lambda: "{[2026-01-01,)}",
    "vector": lambda: "[1,2,3]",
    "uuid[]": lambda: [uuid.uuid4()],
    "text[]": lambda: [f"text {next(_NUMBERS)}"],
    "bigint[]": lambda: [next(_NUMBERS)],
}
_BY_CHECK: Mapping[str, Mapping[str, Any]] = {
    "deltas": {"kind": "add", "mode": "assert"},
    "schedules": {"kind": "manual"},
    "delta_origins": {"relation": "summarises"},
    "consensus": {"stance": "dissent"},
    "tree_nodes": {"level": 0},
    "erasures": {"kind": "user"},
    "canaries": {"share": 0.5},
    "quotas": {"what": "bytes-a-day", "applies": "user", "user_id": "ann"},
}


def tables(connection: psycopg.Connection) -> list[str]:
    """Return every table of ours, partitioned or not, without partitions and without the clock of tests."""
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') "
        "AND NOT relispartition AND relname NOT IN ('alembic_version', 'test_clock') ORDER BY relname"
    )
    return [name for (name,) in found]


def row(connection: psycopg.Connection, table: str, tenant: str, **values: Any) -> dict[str, Any]:
    """Return a valid row of *table*: the required columns, and *values*."""
    columns = connection.execute(
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute "
        "WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attnotnull AND NOT atthasdef "
        "AND attidentity = '' ORDER BY attnum",
        (table,),
    ).fetchall()
    made = {name: _BY_TYPE[type_]() for name, type_ in columns}
    return made | dict(_BY_CHECK.get(table, {})) | {"tenant": tenant} | values


def insert(connection: psycopg.Connection, table: str, values: Mapping[str, Any]) -> None:
    """Insert one row of *values*."""
    connection.execute(
        sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
            sql.Identifier(table),
            sql.SQL(", ").join(map(sql.Identifier, values)),
            sql.SQL(", ").join(sql.Placeholder() * len(values)),
        ),
        list(values.values()),
    )
