"""All rows of a scope, read in pages by key, so that no process holds a whole scope in memory."""

import uuid
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection

from slowwave.store.import_export.row_types import EXPORTED, POSTGRES, ExportedTable
from slowwave.store.statements import sql

PAGE = 500
"""Rows per page."""
_PARTS = ("user", "agent", "channel")
_OWN = {"deltas": "import_export/deltas", "episode_keys": "import_export/keys"}
"""Tables whose rows are exported together with related rows."""


def scopes(
    connection: Connection, *, user: str | None, agent: str | None, channel: str | None
) -> Iterator[dict[str, Any]]:
    """Give the scopes of the tenant, or of one *user*, *agent* or *channel*, in order: names, head and last times."""
    asked: dict[str, Any] = {"user": user, "agent": agent, "channel": channel, "most": PAGE}
    asked |= {f"after_{part}": "" for part in _PARTS}
    while True:
        page = connection.exec_driver_sql(sql("import_export/scopes"), asked).mappings().all()
        yield from (dict(row) for row in page)
        if len(page) < PAGE:
            return
        asked |= {f"after_{part}": page[-1]["user_id" if part == "user" else part] for part in _PARTS}


def rows(connection: Connection, scope: uuid.UUID) -> Iterator[tuple[str, dict[str, Any]]]:
    """Give every row of *scope* that is exported, with the name of its table."""
    for kept in EXPORTED:
        for row in _rows(connection, kept, scope):
            yield kept.name, row


def _rows(connection: Connection, table: ExportedTable, scope: uuid.UUID) -> Iterator[dict[str, Any]]:
    after: dict[str, Any] = dict.fromkeys(table.order)
    while True:
        text = sql(_OWN[table.name]) if table.name in _OWN else _page(table, first=None in after.values())
        page = connection.exec_driver_sql(text, {"scope": scope, "most": PAGE, **after}).scalars().all()
        yield from page
        if len(page) < PAGE:
            return
        after = {name: page[-1][name] for name in table.order}


def _page(table: ExportedTable, *, first: bool) -> str:
    """Return the statement of a page, served by the key of the table that begins with the scope, if it has one."""
    order = ", ".join(f't."{name}"' for name in table.order)
    types = {column.name: column.type.compile(POSTGRES) for column in table.table.columns}
    behind = ", ".join(f"%({name})s::{types[name]}" for name in table.order)
    columns = ", ".join(f't."{name}"' for name in table.columns)
    return (
        f"SELECT to_jsonb(line) FROM (SELECT {columns} FROM {table.name} AS t WHERE t.{table.whose} = %(scope)s"  # noqa: S608 - names of our own tables
        + ("" if first else f" AND ({order}) > ({behind})")
        + f" ORDER BY {order} LIMIT %(most)s) AS line"
    )
