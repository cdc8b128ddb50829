"""How Postgres runs a statement: the one place where tests ask for a plan."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import psycopg
from psycopg.rows import dict_row
from sqlalchemy import Connection


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


def _scans(node: dict[str, Any]) -> Iterator[tuple[str, str, int]]:
    if "Relation Name" in node and "Scan" in node["Node Type"]:
        looked_at = node["Actual Rows"] + node.get("Rows Removed by Filter", 0)
        yield node["Relation Name"], node.get("Index Name", node["Node Type"]), round(looked_at * node["Actual Loops"])
    if node["Node Type"] == "Bitmap Index Scan":
        yield "", node["Index Name"], 0
    for child in node.get("Plans", ()):
        yield from _scans(child)
