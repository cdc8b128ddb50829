"""A database that another version filled: its schema, its rows, and that version's results.

`revision_0044.sql.gz` is a dump of a database at the last of the 44 revisions before the schema was written as one.
What the last version before revision 0008 left in its tables after four days of six scopes of two tenants went through
all of them: updates, ends and corrections, times in Tokyo, New York and Kathmandu, summaries, a strategy, promotions by
hand of which one was undone, a pin, goals, a hold, turns that left a working memory, dead letters, work that waits, and
a window whose worker died with it. Some tables that came later have one row of a third tenant. `revision_0044.json`
holds what was told, and what it came to. `export_0044.jsonl` is an export of another, with the table names of then.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

import psycopg

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.testing import stop_clock
from tests.databases import copied

HERE = Path(__file__).parent
REVISION = "0044"
RENAMED = {"holds": "legal_holds", "places": "slices", "tellings": "model_summaries", "topics": "running_segments"}
"""The tables that have other names today, and below the columns."""
RENAMED_COLUMNS = {"place": "slice_id"}


@dataclass(frozen=True)
class Written:
    """The results of the version that filled the database, at *now*.

    *afterwards* are the facts it came to itself two days later, with the work done that waits in the rows.
    """

    now: datetime
    digests: Mapping[Scope, str]
    afterwards: Mapping[Scope, Sequence[str]]
    tenants: Mapping[str, str]
    facts: Mapping[Scope, Sequence[str]]
    promoted: str
    told: Sequence[tuple[Scope, Episode]]


@cache
def written() -> Written:
    """Return the stored results of the old version."""
    said = json.loads((HERE / f"revision_{REVISION}.json").read_text(encoding="utf-8"))
    scopes = {Scope.parse(key): held for key, held in said["scopes"].items()}
    return Written(
        now=datetime.fromisoformat(said["now"]),
        digests={scope: held["digest"] for scope, held in scopes.items()},
        afterwards={scope: held["facts_after"] for scope, held in scopes.items()},
        tenants=said["tenants"],
        facts={scope: held["facts"] for scope, held in scopes.items()},
        promoted=said["promoted"],
        told=[(Scope.parse(key), Episode.from_message(item)) for key, item in said["told"]],
    )


@contextmanager
def filled(server: PostgresServer, name: str = "filled") -> Iterator[str]:
    """Give the name of a database at revision 0044 with every row, and with the clock of that time."""
    with copied(server, "template0", name) as database:
        with psycopg.connect(server.url("postgres", database)) as connection:
            connection.execute("CREATE EXTENSION vector")
            connection.execute(gzip.decompress((HERE / f"revision_{REVISION}.sql.gz").read_bytes()))
        stop_clock(server.url("slowwave_owner", database), written().now)
        yield database


def rows(connection: psycopg.Connection, columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return every row of these *columns* of tables, in words; *connection* is a superuser's."""
    return {
        table: [
            row
            for (row,) in connection.execute(f"SELECT row({', '.join(names)})::text FROM {table} ORDER BY 1".encode())
        ]
        for table, names in columns.items()
    }


def renamed(columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the tables and *columns* of the old revision under the names of today."""
    return {
        RENAMED.get(table, table): [RENAMED_COLUMNS.get(name, name) if table in RENAMED else name for name in names]
        for table, names in columns.items()
    }


def columns(connection: psycopg.Connection) -> dict[str, list[str]]:
    """Return the columns of every table of ours, by name."""
    found = connection.execute(
        "SELECT c.relname, array_agg(quote_ident(a.attname)::text ORDER BY a.attnum) FROM pg_class c "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
        "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition "
        "AND c.relname NOT IN ('alembic_version', 'test_clock') GROUP BY c.relname"
    )
    return dict(found.fetchall())
