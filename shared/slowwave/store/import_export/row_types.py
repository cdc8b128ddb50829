"""The exported rows of a scope, and the order in which each table is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Column, Table
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from slowwave.store.tables import goals, graph, inbox, ledger, lifecycle, schedule, summaries, undo

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
