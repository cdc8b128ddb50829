"""Partitions are there before their time comes, and a row that came too early keeps nobody waiting."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from slowwave import wiring
from slowwave.embedded.postgres import PostgresServer
from slowwave.testing import move_clock


@pytest.fixture
def admin(postgres_server: PostgresServer, database_name: str) -> Iterator[psycopg.Connection]:
    """The test's database, as a superuser."""
    with psycopg.connect(postgres_server.url("postgres", database_name), autocommit=True) as connection:
        yield connection


def now(admin: psycopg.Connection) -> datetime:
    """The database's time."""
    (text,) = admin.execute("SELECT (slowwave_now() AT TIME ZONE 'UTC')::text").fetchone() or ("",)
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def partitions(admin: psycopg.Connection) -> set[str]:
    """The names of the audit log's partitions."""
    rows = admin.execute("SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'audit_log'::regclass")
    return {name for (name,) in rows}


def of_day(day: datetime) -> str:
    return day.strftime("audit_log_%Y_%m_%d")


def test_migrating_again_makes_the_partitions_that_time_has_made_due(owner_url: str, admin: psycopg.Connection) -> None:
    move_clock(owner_url, timedelta(days=40))
    ahead = now(admin) + timedelta(days=29)
    assert of_day(ahead) not in partitions(admin)

    wiring.migrate_database(owner_url)

    assert of_day(ahead) in partitions(admin)


def test_a_row_in_the_default_partition_is_moved_to_its_day(owner_url: str, admin: psycopg.Connection) -> None:
    early = now(admin) + timedelta(days=45)
    admin.execute(
        "INSERT INTO audit_log (at, tenant, operation, memory_type) VALUES (%s, 'default', 'test', 'semantic')", [early]
    )
    assert of_day(early) not in partitions(admin)

    wiring.migrate_database(owner_url)

    assert admin.execute("SELECT tableoid::regclass::text, at FROM audit_log").fetchall() == [(of_day(early), early)]
