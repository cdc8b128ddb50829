"""A scrape looks at so many rows at most, however much work, how many runs and calls there are."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.store.operator import tally
from slowwave.store.statements import sql
from tests.databases import copied, opened
from tests.plans import touched

CROWD = 3_000
MOST = 50


@pytest.fixture(scope="module", params=[(), ("packs",)], ids=["packs not counted", "packs counted"])
def crowded(
    request: pytest.FixtureRequest, postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]
) -> Iterator[str]:
    """The address of a database with three thousand intents that are due, as many runs, calls and hours of tallies.

    The planner has counted the packs, too, or not yet.
    """
    with copied(postgres_server, template, "scraped") as name, opened(postgres_server, name, heavy_parts) as parts:
        fill(postgres_server.url("slowwave_owner", name), request.param)
        assert parts.url is not None
        yield parts.url


def fill(owner_url: str, also: tuple[str, ...]) -> None:
    tables = ("intents", "runs", "model_calls", "model_requests", "tallies")
    with psycopg.connect(owner_url, autocommit=True) as connection:
        for table in tables:
            connection.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY".encode())
        connection.execute(
            f"""
            CREATE TEMPORARY TABLE crowd AS
                SELECT n, md5('s' || n)::uuid AS scope, slowwave_now() - n * interval '1 h' AS at
                FROM generate_series(1, {CROWD}) AS n;
            INSERT INTO intents (scope, tenant, job, pack, target, due)
                SELECT scope, 'default', 'consolidate', 'everyday', 1, at FROM crowd;
            INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, started, finished,
                    outcome)
                SELECT scope, 'default', 'consolidate', 'everyday', 1, n, 1, 1, 1, 'ann', at, at, 'ok' FROM crowd;
            INSERT INTO model_calls (request, tenant, day, provider, owner, reserved_tokens, reserved_micros, started)
                SELECT 'r' || n, 'default', (at AT TIME ZONE 'UTC')::date, 'p', 'ann', 1, 1, at FROM crowd;
            INSERT INTO model_requests (request, tenant, scope, pack, model, edition, positions, quotes, prompt_tokens,
                    most_tokens, state)
                SELECT 'r' || n, 'default', scope, 'p', 'm', '', ARRAY[1], ARRAY[1], 1, 1,
                    CASE WHEN n % 20 = 0 THEN 'pending' ELSE 'answered' END FROM crowd;
            INSERT INTO tallies (tenant, name, hour, bucket, count)
                SELECT 'default', '{tally.RECALL_HIT}', date_trunc('hour', at), 0, 1 FROM crowd;
            """.encode()
        )
        connection.execute(f"ANALYZE {', '.join((*tables, *also))}".encode())


@pytest.mark.parametrize(
    ("statement", "table", "index", "asked"),
    [
        ("work", "intents", "intents_due", {}),
        ("ended", "runs", "runs_pkey", {}),
        ("lag", "runs", "runs_pkey", {}),
        ("model_calls", "model_calls", "model_calls_day", {"tenants": ["default"]}),
        ("requests", "model_requests", "model_requests_pending", {"tenants": ["default"]}),
        ("tallies", "tallies", "tallies_pkey", {"names": [tally.RECALL_HIT]}),
    ],
)
def test_a_scrape_reads_a_bounded_number_of_rows(
    crowded: str, statement: str, table: str, index: str, asked: dict[str, Any]
) -> None:
    role = "slowwave_app" if statement == "tallies" else "slowwave_dispatch"
    if statement == "tallies":
        with psycopg.connect(crowded) as connection:
            yesterday = connection.execute("SELECT slowwave_now() - interval '1 day'").fetchone()
        assert yesterday is not None
        asked = {**asked, "midnight": yesterday[0]}
    found = touched(crowded, sql(f"metrics/{statement}"), role=role, most=MOST, **asked)

    assert index in {used for _, used, _ in found}, found
    assert sum(rows for name, _, rows in found if name == table) <= MOST, found
