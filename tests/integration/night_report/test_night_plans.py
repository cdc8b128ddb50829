"""A page of the night report reads a bounded number of nights and deltas, whatever the size of the memory."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave.domain.scope import Scope
from slowwave.store.night_report import EXAMPLES
from slowwave.store.operator import tally
from slowwave.store.statements import sql
from slowwave.wiring import Parts
from tests.module_database import harness, owner_url, parts, scope
from tests.plans import filled, touched

__all__ = ["harness", "owner_url", "parts", "scope"]

UNTIL = datetime(2026, 3, 2, 12, tzinfo=UTC)
NIGHT: dict[str, Any] = {"since": UNTIL - timedelta(days=1), "until": UNTIL}
LIVED = 400
"""The number of rows: a delta, a run, a call and an hourly count every six hours for a hundred days."""


@pytest.fixture(scope="module")
def long_ago(parts: Parts, scope: Scope, owner_url: str) -> str:
    """The address of a database with a hundred days of rows."""
    parts.push(scope, ["hello"])
    filled(
        owner_url,
        f"""
            CREATE TEMPORARY TABLE lived AS
                SELECT n, '{UNTIL}'::timestamptz - n * interval '6 h' AS at, '{scope.id}'::uuid AS scope
                FROM generate_series(1, {LIVED}) AS n;
            INSERT INTO deltas (id, scope, tenant, pack, rule, kind, mode, position, confidence, recorded, fingerprint,
                    payload_digest)
                SELECT md5('d' || n)::uuid, scope, 'default', 'p', 'r', 'add', 'assert', n, 1, at, '', '' FROM lived;
            INSERT INTO delta_sources (delta, ordinal, tenant, episode, key, position, span_start, span_end)
                SELECT md5('d' || n)::uuid, 0, 'default', md5('e' || n)::uuid, 'k', n, 0, 1 FROM lived;
            INSERT INTO runs (scope, tenant, job, pack, version, intent, lo, hi, fence, owner, started, finished,
                    outcome, counts)
                SELECT scope, 'default', 'prepare', '_prepare', 1, n, n, n, n, 'ann', at - interval '1 s', at, 'ok',
                    '{{"episodes": 1, "of": "words"}}'
                FROM lived;
            INSERT INTO model_calls (request, tenant, day, provider, owner, reserved_tokens, reserved_micros,
                    spent_tokens, spent_micros, started, finished, outcome)
                SELECT 'r' || n, 'default', (at AT TIME ZONE 'UTC')::date, 'p', 'ann', 1, 1, 1, 1, at, at, 'ok'
                FROM lived;
            INSERT INTO tallies (tenant, name, hour, bucket, count)
                SELECT 'default', '{tally.RECALL_HIT}', date_trunc('hour', at), 0, 1 FROM lived;
        """,
        "deltas", "delta_sources", "runs", "model_calls", "tallies", "dead_letters",
    )  # fmt: skip
    return parts.url


@pytest.mark.parametrize(
    ("statement", "table", "index", "asked"),
    [
        ("deltas_by_outcome", "deltas", "deltas_in_order", {"most": 20_000, "examples": EXAMPLES, "longest": 400}),
        ("counts", "runs", "runs_finished", {}),
        ("slowest", "runs", "runs_finished", {"most": 6}),
        ("canaries", "runs", "runs_finished", {}),
        ("cost", "model_calls", "model_calls_day", {}),
        ("recalls", "tallies", "tallies_pkey", {"names": [tally.RECALL_HIT]}),
    ],
)
def test_a_nights_report_reads_only_its_own_rows(
    long_ago: str, statement: str, table: str, index: str, asked: dict[str, Any]
) -> None:
    found = touched(long_ago, sql(f"night_report/{statement}"), **NIGHT, **asked)

    assert index in {used for _, used, _ in found}, found
    assert sum(rows for name, _, rows in found if name == table) <= 13, found


def test_a_report_reads_a_limited_number_of_deltas(long_ago: str) -> None:
    everything = {**NIGHT, "since": UNTIL - timedelta(days=100)}
    found = touched(
        long_ago, sql("night_report/deltas_by_outcome"), **everything, most=10, examples=EXAMPLES, longest=400
    )

    assert sum(rows for name, _, rows in found if name == "deltas") == 10, found
