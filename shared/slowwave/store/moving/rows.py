"""The exported rows of a scope, and the order in which each table is read."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Column, Table
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from slowwave.store.tables import graph, inbox, ledger, lifecycle, schedule, summaries, undo, working

POSTGRES = PGDialect_psycopg()  # type: ignore[no-untyped-call]  # SQLAlchemy leaves it untyped
"""The dialect that names the types of columns."""


@dataclass(frozen=True, slots=True)
class Kept:
    """An exported table: read in *order*, filtered by the column *whose*; the columns *without* are not exported."""

    table: Table
    order: Sequence[str]
    without: frozenset[str] = frozenset()
    whose: str = "scope"

    @property
    def name(self) -> str:
        """The name of the table, as its lines give it."""
        return str(self.table.name)

    @property
    def columns(self) -> list[str]:
        """The exported columns, as a line has them."""
        return [column.name for column in self.table.columns if self._goes(column)]

    def _goes(self, column: "Column[object]") -> bool:
        own = column.name in {"tenant", self.whose} | self.without
        return not own and column.computed is None

    def __repr__(self) -> str:
        return f"<Kept {self.name}>"


KEPT = (
    Kept(inbox.watermarks, ["pack"]),
    Kept(inbox.episode_keys, ["position"]),
    Kept(inbox.episodes, ["position"]),
    Kept(inbox.unread_turns, ["position"]),
    Kept(lifecycle.conversations, ["session"]),
    Kept(lifecycle.segments, ["session", "number"]),
    Kept(lifecycle.topics, ["session"]),
    Kept(schedule.runs, ["run"], frozenset({"intent"})),
    Kept(ledger.facts, ["version"]),
    Kept(ledger.deltas, ["recorded"]),
    Kept(undo.undos, ["undo"]),
    Kept(undo.undone, ["undo", "delta"]),
    Kept(lifecycle.entities, ["entity"]),
    Kept(lifecycle.standing, ["memory"]),
    Kept(lifecycle.promotions, ["promotion"], whose="target"),
    Kept(graph.edges, ["fact"]),
    Kept(graph.graph_versions, ["version"]),
    Kept(lifecycle.strategies, ["strategy"], frozenset({"space", "embedding"})),
    Kept(lifecycle.tool_stats, ["tool", "task"]),
    Kept(lifecycle.sightings, ["pattern", "bucket"]),
    Kept(lifecycle.holds, ["hold"]),
    Kept(schedule.dead_letters, ["letter"]),
    Kept(working.goals, ["goal"], frozenset({"space", "embedding"})),
    Kept(working.consensus, ["record"], frozenset({"space", "embedding"})),
    Kept(summaries.tellings, ["about"], frozenset({"space", "embedding", "waiting", "upto"})),
)
"""Every exported table, in the order of import.

Derived data is not exported: vectors, packed words, trees of summaries, intents and firings. Data of the installation
is not exported either: its log, its counts, its packs, its model requests.
"""

COLUMNS = {kept.name: kept.columns for kept in KEPT}
"""The fields of a line of each table: its columns, and related rows of other tables."""
COLUMNS["episode_keys"].append("key")
COLUMNS["deltas"] += ["payload", "sources", "origins"]
