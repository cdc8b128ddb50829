"""Helpers for tests of partitions: the partitions, the rows in each, and the job that makes and drops them."""

from datetime import datetime

import psycopg

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PARTITIONS, pack_of
from slowwave.domain.run import Report
from slowwave.memory import due_work
from slowwave.wiring import Parts


def now(superuser: psycopg.Connection) -> datetime:
    """The database's time."""
    (found,) = superuser.execute("SELECT slowwave_now()").fetchone() or (None,)
    assert isinstance(found, datetime)
    return found


def partitions(superuser: psycopg.Connection, parent: str = "audit_log") -> set[str]:
    """The names of a table's partitions."""
    rows = superuser.execute(
        "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = %s::regclass", [parent]
    )
    return {name for (name,) in rows}


def of_day(day: datetime) -> str:
    return day.strftime("audit_log_%Y_%m_%d")


def of_month(day: datetime) -> str:
    return day.strftime("episodes_%Y_%m")


def where(superuser: psycopg.Connection, table: str = "episodes") -> dict[str, int]:
    """Return the number of rows in each partition of *table*."""
    return dict(superuser.execute(f"SELECT tableoid::regclass::text, count(*) FROM {table} GROUP BY 1").fetchall())


def waiting(superuser: psycopg.Connection, words: str) -> list[int]:
    """Return the processes that wait for a lock with a statement that contains these *words*."""
    rows = superuser.execute(
        "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND position(%s IN query) > 0 "
        "AND datname = current_database()",
        [words],
    )
    return [pid for (pid,) in rows]


def said(count: int, *, start: int = 0) -> list[Episode]:
    return [Episode(content=f"I like food{number}", key=f"k{number}") for number in range(start, start + count)]


def audit(superuser: psycopg.Connection, at: datetime, tenant: str = "default") -> None:
    superuser.execute(
        "INSERT INTO audit_log (at, tenant, operation, memory_type) VALUES (%s, %s, 'test', 'semantic')", [at, tenant]
    )


def run(parts: Parts, owner: str = "ann") -> Report:
    """Make the job due, and run it."""
    parts.schedule.fire_job(PARTITIONS, pack_of(PARTITIONS), by="test")
    report = due_work.run_next(parts, owner=owner, only=[PARTITIONS])
    assert report is not None
    return report


def counts(superuser: psycopg.Connection) -> dict[str, int]:
    """Return the counts of the last run of the partition job."""
    ((found,),) = superuser.execute(
        "SELECT counts FROM runs WHERE job = 'partitions' ORDER BY run DESC LIMIT 1"
    ).fetchall()
    return {name: found[name] for name in ("made", "moved", "dropped", "in_default")}
