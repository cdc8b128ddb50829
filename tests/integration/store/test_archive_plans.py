"""Putting away costs what is due: neither a firing nor the job reads what is young, held or gone already."""

import json
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from slowwave import wiring
from slowwave.core.policy import BARE, Policies
from slowwave.domain.job_table import ARCHIVE
from slowwave.domain.scope import Scope
from slowwave.store.schedule.schedule import SYSTEM_SCOPE
from slowwave.store.statements import sql
from tests.module_database import harness, owner_url, parts, scope, url
from tests.plans import touched

__all__ = ["harness", "owner_url", "parts", "scope", "url"]

CROWD = 20_000
TABLES = ("conversations", "entities", "standing", "legal_holds")
ALL = list(range(16))
FIRST: dict[str, Any] = {"scope": SYSTEM_SCOPE, "most": 500}


@pytest.fixture(scope="module")
def crowd(parts: wiring.Parts, scope: Scope, owner_url: str) -> datetime:
    """Twenty thousand conversations and entities, young, held or gone, and five of each that are due; the time."""
    parts.push(scope, ["hello"])
    with psycopg.connect(owner_url, autocommit=True) as connection:
        for table in TABLES:
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        connection.execute(
            f"""
            CREATE TEMPORARY TABLE crowd AS
                SELECT md5('s' || n)::uuid AS scope, 'default' AS tenant, n, md5('e' || n)::uuid AS entity,
                    slowwave_now() - CASE WHEN n <= 5 THEN interval '100 d' ELSE n * interval '1 min' END AS at
                FROM generate_series(1, {CROWD}) AS n;
            INSERT INTO conversations (scope, session, tenant, first_at, last_at, episodes, touched, archived)
                SELECT scope, 's' || n, tenant, at, at, 1, at, NULL FROM crowd
                UNION ALL
                SELECT scope, 'a' || n, tenant, at, at, 1, at - interval '100 d', at - interval '1 d' FROM crowd;
            INSERT INTO entities (scope, entity, tenant, name, first_seen, last_seen, due)
                SELECT scope, entity, tenant, 'e' || n, at, at, CASE WHEN n <= 5 THEN at WHEN n % 2 = 0 THEN
                    slowwave_now() + interval '1 d' END
                FROM crowd;
            INSERT INTO standing (scope, memory, tenant, kind, tier, base, created)
                SELECT scope, entity, tenant, 'entity', 'cold', 1, at FROM crowd;
            INSERT INTO legal_holds (tenant, scope, reason)
                SELECT tenant, scope, 'r' FROM crowd WHERE n BETWEEN 100 AND 200;
            """
        )
        connection.execute(f"ANALYZE {', '.join(TABLES)}")
        row = connection.execute("SELECT slowwave_now()").fetchone()
    assert row is not None
    now = row[0]
    assert isinstance(now, datetime)
    return now


def read(found: list[tuple[str, str, int]], *tables: str) -> int:
    return sum(rows for table, _, rows in found if table in tables)


def test_a_firing_of_the_archive_job_reads_only_due_rows(crowd: datetime, url: str) -> None:
    found = touched(url, sql("retention/due_slices"), role="slowwave_dispatch", job=ARCHIVE, slices=16,
        periods=json.dumps(Policies(BARE).periods),
    )  # fmt: skip

    indexes = {index for _, index, _ in found}
    assert {"conversations_open", "entities_due"} <= indexes
    assert read(found, "conversations", "entities", "standing") <= 40, found


def test_the_job_reads_the_conversations_that_are_due(crowd: datetime, url: str) -> None:
    before = crowd - timedelta(days=90)
    found = touched(url, sql("retention/due_conversations"), role="slowwave_app", slices=ALL, before=before, most=500)

    assert "conversations_open" in {index for _, index, _ in found}
    assert read(found, "conversations") <= 20, found


def test_the_archive_job_reads_expired_conversations_by_index(crowd: datetime, url: str) -> None:
    found = touched(url, sql("retention/expired_conversations"), role="slowwave_app",
        slices=ALL, before=crowd - timedelta(days=195), session="",
        also_scopes=[], also_sessions=[], gone=[], **FIRST,
    )  # fmt: skip

    assert "conversations_archived" in {index for _, index, _ in found}
    assert read(found, "conversations") <= 20, found


def test_the_job_reads_the_entities_that_are_due(crowd: datetime, url: str) -> None:
    found = touched(
        url,
        sql("retention/due_entities"),
        role="slowwave_app",
        slices=ALL,
        now=crowd,
        every=False,
        entity=SYSTEM_SCOPE,
        **FIRST,
    )

    assert {"entities_due", "standing_pkey"} <= {index for _, index, _ in found}
    assert read(found, "entities", "standing") <= 20, found
