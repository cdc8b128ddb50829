"""The catalog of our tables in Postgres, as text: two databases with the same catalog have the same schema."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

# One statement per kind of object, for tables only: partitions depend on the date.
CATALOG = {
    "columns": """
        SELECT c.relname, a.attname, row_number() OVER (PARTITION BY c.oid ORDER BY a.attnum),
            format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity, a.attgenerated,
            pg_get_expr(d.adbin, d.adrelid), a.attcollation::regcollation::text, a.attstorage
        FROM ours c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        LEFT JOIN pg_attrdef d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)""",
    "constraints": """
        SELECT c.relname, k.conname, k.contype, pg_get_constraintdef(k.oid), k.convalidated, k.condeferrable
        FROM ours c JOIN pg_constraint k ON k.conrelid = c.oid""",
    "indexes": """
        SELECT c.relname, pg_get_indexdef(i.indexrelid), i.indisvalid, i.indisunique
        FROM ours c JOIN pg_index i ON i.indrelid = c.oid""",
    "tables": """
        SELECT c.relname, c.relkind, c.relpersistence, c.reloptions, obj_description(c.oid, 'pg_class'),
            pg_get_partkeydef(c.oid)
        FROM ours c""",
    "comments on columns": """
        SELECT c.relname, d.objsubid, d.description
        FROM ours c JOIN pg_description d
            ON d.objoid = c.oid AND d.classoid = 'pg_class'::regclass AND d.objsubid > 0""",
    "triggers": "SELECT c.relname, pg_get_triggerdef(t.oid) FROM ours c JOIN pg_trigger t ON t.tgrelid = c.oid",
}

# The objects other than tables.
BEYOND = {
    "functions": """
        SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text, obj_description(p.oid, 'pg_proc')
        FROM pg_proc p LEFT JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e'
        WHERE p.pronamespace = 'public'::regnamespace AND d.objid IS NULL AND p.proname <> 'slowwave_now'""",
    "policies": """
        SELECT c.relname, p.polname, p.polcmd, pg_get_expr(p.polqual, p.polrelid),
            pg_get_expr(p.polwithcheck, p.polrelid), p.polroles::regrole[]::text
        FROM ours c JOIN pg_policy p ON p.polrelid = c.oid""",
    "security": "SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity, c.relowner::regrole::text FROM ours c",
    "rights": """
        SELECT c.relname, '' AS attname, a.grantee::regrole::text, a.privilege_type
        FROM ours c CROSS JOIN aclexplode(c.relacl) AS a
        UNION ALL SELECT c.relname, f.attname, a.grantee::regrole::text, a.privilege_type
        FROM ours c JOIN pg_attribute f ON f.attrelid = c.oid AND NOT f.attisdropped
        CROSS JOIN aclexplode(f.attacl) AS a""",
}


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
