"""A database that another version filled: its rows, and what that version said of them when it wrote them.

`revision_0007.sql.gz` holds what the last version before revision 0008 left in its tables after four days of six scopes
of two tenants: updates, ends and corrections, times in Tokyo, New York and Kathmandu, summaries, a strategy, promotions
by hand of which one was undone, a pin, goals, a hold, turns that left a working memory, dead letters, work that waits,
and a window whose worker died with it. `revision_0007.json` holds what was told, and what it came to.
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
from alembic import command

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.embedded_services import PostgresServer
from slowwave.store import migrate
from slowwave.store.database import engine
from slowwave.testing import stop_clock
from tests.databases import copied

HERE = Path(__file__).parent
REVISION = "0007"


@dataclass(frozen=True)
class Written:
    """What the version that filled it said of the database at *now*, and with which statements it had made it.

    *afterwards* are the facts it came to itself two days later, with the work done that waits in the rows.
    """

    now: datetime
    digests: Mapping[Scope, str]
    afterwards: Mapping[Scope, Sequence[str]]
    tenants: Mapping[str, str]
    facts: Mapping[Scope, Sequence[str]]
    promoted: str
    told: Sequence[tuple[Scope, Episode]]
    revisions: Mapping[str, str]
    partitions: Sequence[tuple[str, str]]


@cache
def written() -> Written:
    """Return what stands beside the rows."""
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
        revisions=said["revisions"],
        partitions=[(parent, at) for parent, at in said["partitions"]],
    )


@contextmanager
def filled(server: PostgresServer, name: str = "filled") -> Iterator[str]:
    """Give the name of a database at revision 0007 with every row, whose clock stands where it was left."""
    with copied(server, "template0", name) as database:
        owner_url = server.url("slowwave_owner", database)
        with psycopg.connect(server.url("postgres", database)) as connection:
            connection.execute("CREATE EXTENSION vector")
        upgrade(owner_url, REVISION)
        stop_clock(owner_url, written().now)
        with psycopg.connect(owner_url) as connection:
            for parent, at in written().partitions:
                connection.execute("SELECT slowwave_make_partition(%s, %s)", [parent, at])
        with psycopg.connect(server.url("postgres", database)) as connection:
            connection.execute("SET session_replication_role = replica")  # rows are put back, not written anew
            connection.execute(gzip.decompress((HERE / f"revision_{REVISION}.sql.gz").read_bytes()))
        yield database


def upgrade(owner_url: str, revision: str) -> None:
    """Run the revisions up to *revision* alone, as `slowwave db migrate` runs all of them."""
    owner = engine(owner_url, pool_size=1)
    config = migrate._config()
    with owner.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        connection.exec_driver_sql("GRANT SELECT ON alembic_version TO slowwave_app, slowwave_dispatch")
    owner.dispose()


def rows(connection: psycopg.Connection, columns: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return every row of these *columns* of tables, in words; *connection* is a superuser's."""
    return {
        table: [
            row
            for (row,) in connection.execute(f"SELECT row({', '.join(names)})::text FROM {table} ORDER BY 1".encode())
        ]
        for table, names in columns.items()
    }


def columns(connection: psycopg.Connection) -> dict[str, list[str]]:
    """Return the columns of every table of ours that stays, by name: a journal in which nobody ever wrote does not."""
    found = connection.execute(
        "SELECT c.relname, array_agg(quote_ident(a.attname)::text ORDER BY a.attnum) FROM pg_class c "
        "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped "
        "WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition "
        "AND c.relname NOT IN ('alembic_version', 'test_clock', 'extraction_journal') GROUP BY c.relname"
    )
    return dict(found.fetchall())
