"""Query plans of Postgres. Only this module asks for a plan in tests."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row
from sqlalchemy import Connection

from slowwave.store.statements import sql


def explained(connection: Connection, statement: str, parameters: Mapping[str, Any]) -> str:
    """Return the plan of *statement* as text; it is not run."""
    return "\n".join(line for (line,) in connection.exec_driver_sql("EXPLAIN " + statement, dict(parameters)))


def touched(
    url: str, statement: str, *, role: str = "slowwave_app", tenant: str = "default", **parameters: Any
) -> list[tuple[str, str, int]]:
    """Return the relations that *statement* read, by which index, and how many rows it looked at; nothing is kept."""
    with psycopg.connect(url, options=f"-c role={role}", row_factory=dict_row) as connection:
        connection.execute("SELECT set_config('slowwave.tenant', %s, true)", (tenant,))
        found = connection.execute(
            b"EXPLAIN (ANALYZE, FORMAT JSON) " + statement.encode(), {"tenant": tenant, **parameters}
        ).fetchone()
        connection.rollback()
    assert found is not None
    plan = found["QUERY PLAN"]
    return list(_scans((json.loads(plan) if isinstance(plan, str) else plan)[0]["Plan"]))


@dataclass(frozen=True)
class Read:
    """The reads of a statement: each scan with its relation, its index and its number of rows."""

    scans: Sequence[tuple[str, str, int]]

    def by(self, *tables: str) -> set[str]:
        """Return the indexes by which *tables* were read, or all relations; those of bitmaps come with all tables."""
        return {index for table, index, _ in self.scans if not tables or table in (*tables, "")}

    def rows(self, *tables: str) -> int:
        """Return how many rows of *tables*, or of all relations, were looked at."""
        return sum(rows for table, _, rows in self.scans if not tables or table in tables)

    def by_table(self) -> dict[str, tuple[set[str], int]]:
        """Return, by relation, the indexes by which it was read and the rows looked at."""
        tables = {table for table, *_ in self.scans}
        return {one: ({i for t, i, _ in self.scans if t == one}, self.rows(one)) for one in tables}

    def scanned(self, *tables: str) -> bool:
        """Return whether one of *tables*, or any relation, was read from end to end."""
        return any(index == "Seq Scan" for table, index, _ in self.scans if not tables or table in tables)


def reads(url: str, name: str, **parameters: Any) -> Read:
    """Return the reads of the store's statement *name*; see `touched`."""
    return Read(touched(url, sql(name).replace(")b", ")s"), **parameters))


def filled(owner_url: str, statements: str, *tables: str) -> None:
    """Run *statements* as the owner of the schema, with row-level security of *tables* switched off."""
    with psycopg.connect(owner_url, autocommit=True) as owner:
        for table in tables:
            owner.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY".encode())
        owner.execute(statements.encode())
        for table in tables:
            owner.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY".encode())
            owner.execute(f"ANALYZE {table}".encode())


def _scans(node: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    if "Relation Name" in node and "Scan" in node["Node Type"]:
        looked_at = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        yield node["Relation Name"], node.get("Index Name", node["Node Type"]), round(looked_at * node["Actual Loops"])
    if node["Node Type"] == "Bitmap Index Scan":
        yield "", node["Index Name"], 0
    for child in node.get("Plans", ()):
        yield from _scans(child)
