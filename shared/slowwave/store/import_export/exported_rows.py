"""The exported rows of a scope: which there are, read in pages by key, and renamed for another tenant."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Column, Connection, Table
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from slowwave.core.graph.edges import entity_id
from slowwave.domain.scope import Scope
from slowwave.store.statements import sql
from slowwave.store.tables import goals, graph, inbox, ledger, lifecycle, metadata, schedule, summaries, undo

POSTGRES = PGDialect_psycopg()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
"""The dialect that names the types of columns."""


@dataclass(frozen=True, slots=True)
class ExportedTable:
    """An exported table: read in *order*, filtered by the column *whose*; the columns *without* are not exported."""

    table: Table
    order: Sequence[str]
    without: frozenset[str] = frozenset()
    whose: str = "scope"

    @property
    def name(self) -> str:
        """The name of the table, as in exported lines."""
        return str(self.table.name)

    @property
    def columns(self) -> list[str]:
        """The exported columns, in the order of a line's fields."""
        return [column.name for column in self.table.columns if self._is_exported(column)]

    def _is_exported(self, column: "Column[object]") -> bool:
        own = column.name in {"tenant", self.whose} | self.without
        return not own and column.computed is None

    def __repr__(self) -> str:
        return f"<Kept {self.name}>"


EXPORTED = (
    ExportedTable(inbox.watermarks, ["pack"]),
    ExportedTable(inbox.episode_keys, ["position"]),
    ExportedTable(inbox.episodes, ["position"]),
    ExportedTable(inbox.unread_turns, ["position"]),
    ExportedTable(lifecycle.conversations, ["session"]),
    ExportedTable(lifecycle.segments, ["session", "number"]),
    ExportedTable(lifecycle.topics, ["session"]),
    ExportedTable(schedule.runs, ["run"], frozenset({"intent"})),
    ExportedTable(ledger.facts, ["version"]),
    ExportedTable(ledger.deltas, ["recorded"]),
    ExportedTable(undo.undos, ["undo"]),
    ExportedTable(undo.undone, ["undo", "delta"]),
    ExportedTable(lifecycle.entities, ["entity"]),
    ExportedTable(lifecycle.standing, ["memory"]),
    ExportedTable(lifecycle.promotions, ["promotion"], whose="target"),
    ExportedTable(graph.edges, ["fact"]),
    ExportedTable(graph.graph_versions, ["version"]),
    ExportedTable(lifecycle.strategies, ["strategy"], frozenset({"space", "embedding"})),
    ExportedTable(lifecycle.tool_stats, ["tool", "task"]),
    ExportedTable(lifecycle.sightings, ["pattern", "bucket"]),
    ExportedTable(lifecycle.holds, ["hold"]),
    ExportedTable(schedule.dead_letters, ["letter"]),
    ExportedTable(goals.goals, ["goal"], frozenset({"space", "embedding"})),
    ExportedTable(goals.consensus, ["record"], frozenset({"space", "embedding"})),
    ExportedTable(summaries.tellings, ["about"], frozenset({"space", "embedding", "waiting", "upto"})),
)
"""Every exported table, in the order of import.

Derived data is not exported: vectors, packed words, trees of summaries, intents and firings. Data of the installation
is not exported either: its log, its counts, its packs, its model requests.
"""

COLUMNS = {kept.name: kept.columns for kept in EXPORTED}
"""The fields of a line of each table: its columns, and related rows of other tables."""
COLUMNS["episode_keys"].append("key")
COLUMNS["deltas"] += ["payload", "sources", "origins"]


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


class Renaming:
    """Maps the ids of one tenant to ids of another tenant. Within one tenant, ids stay the same."""

    def __init__(self, tenant: str | None, scopes: Mapping[uuid.UUID, Scope]) -> None:
        self._tenant = tenant
        self._scopes = {str(id_): str(scope.id) for id_, scope in scopes.items()}
        self._here: uuid.UUID | None = None
        self._episodes: dict[str, str] = {}

    @property
    def elsewhere(self) -> bool:
        """True if the tenant differs, so that ids are derived again."""
        return self._tenant is not None

    def enter(self, scope: Scope) -> None:
        """Start with the ids of *scope*; forget the episode ids of the scope before."""
        self._here = scope.id
        self._episodes = {}

    def row(self, table: str, row: dict[str, Any]) -> dict[str, Any]:
        """Return *row* with its ids mapped."""
        if self._tenant is None:
            return row
        if table == "episodes":
            assert self._here is not None
            return row | {"id": str(uuid.uuid5(self._here, row["key"]))}
        if table == "deltas":
            row = row | {"sources": [self._source(source) for source in row["sources"]]}
        told = _ids(table)
        return {name: self._value(value) if name in told else value for name, value in row.items()}

    def key(self, row: Mapping[str, Any], name: str) -> dict[str, Any]:
        """Return the *row* of an episode's key *name*, and remember the episode's new id."""
        if self._tenant is None:
            return dict(row)
        assert self._here is not None
        self._episodes[row["id"]] = str(uuid.uuid5(self._here, name))
        return {**row, "id": self._episodes[row["id"]]}

    def entity(self, row: Mapping[str, Any]) -> None:
        """Remember the new id of an entity, which depends on its name."""
        assert self._here is not None
        self._episodes[row["entity"]] = str(entity_id(self._here, row["name"]))

    def of_episode(self, scope: Scope, key: str | None) -> uuid.UUID | None:
        """Return the id of the episode in *scope* whose caller gave it *key*."""
        return None if key is None else uuid.uuid5(scope.id, key)

    def id(self, id_: str | None) -> str | None:
        """Return the mapped id."""
        return id_ if id_ is None or self._tenant is None else self._renamed(str(id_))

    def _source(self, source: dict[str, Any]) -> dict[str, Any]:
        scope = self._here if source["origin"] is None else uuid.UUID(str(self._value(source["origin"])))
        assert scope is not None
        self._episodes.setdefault(source["episode"], str(uuid.uuid5(scope, source["key"])))
        return source

    def _value(self, value: Any) -> Any:
        match value:
            case str() if len(value) == 36 and value.count("-") == 4:
                return self._renamed(value)
            case list():
                return [self._value(one) for one in value]
            case dict():
                return {name: self._value(one) for name, one in value.items()}
            case _:
                return value

    def _renamed(self, value: str) -> str:
        if known := self._scopes.get(value) or self._episodes.get(value):
            return known
        try:
            return str(uuid.uuid5(_OTHERS, f"{self._tenant}/{uuid.UUID(value)}"))
        except ValueError:  # a text that only looks like an id
            return value


@cache
def _ids(table: str) -> frozenset[str]:
    """Return the columns of a table that hold ids, including JSON columns that name memories."""
    columns = metadata.tables[table].columns
    named = {column.name for column in columns if "UUID" in column.type.compile(POSTGRES)}
    return frozenset(named | {"item", "sources", "origins"})


_OTHERS = uuid.UUID("6f0c5b1e-2f5c-5d0a-8b7b-9b1c4b7d2a11")
