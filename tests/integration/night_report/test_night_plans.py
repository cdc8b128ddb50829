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
from tests.scripts import script

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
        script(__file__, "night_plans.sql", until=UNTIL, scope=scope.id, lived=LIVED, hit=tally.RECALL_HIT),
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
