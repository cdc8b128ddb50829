"""Pattern detection and the turns before a window read only new rows."""

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave.core.patterns import FAMILY
from slowwave.core.tool_attempts import REACH
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.ports.context import REACH as BEFORE
from tests.databases import copied, opened
from tests.plans import filled, reads
from tests.scripts import script

CROWD = 20_000
TABLES = (
    "episode_keys", "episodes", "deltas", "delta_payloads", "delta_sources", "facts", "sightings", "strategies",
)  # fmt: skip


SCOPE = Scope("default", "alice", "concierge")


FILL = script(__file__, "pattern_plans.sql", scope=SCOPE.id, crowd=CROWD)


@pytest.fixture(scope="module")
def url(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[str]:
    """A database with twenty thousand episodes and preferences of one user; no test changes it."""
    with copied(postgres_server, template, "crowd") as name:
        with opened(postgres_server, name, heavy_parts) as parts:
            parts.push(SCOPE, ["hello"])
        filled(postgres_server.url("slowwave_owner", name), FILL, *TABLES)
        yield postgres_server.url(database=name)


@pytest.mark.parametrize("sessions", [1, 9])
def test_the_number_of_turns_read_does_not_depend_on_the_sessions(url: str, sessions: int) -> None:
    named = [f"s{number}" for number in range(sessions)]
    read = reads(url, "inbox/before", scope=SCOPE.id, sessions=named, low=CROWD - BEFORE, high=CROWD - 1)

    assert read.rows() <= 3 * BEFORE  # a key and its episode, and Postgres tells averages


def test_the_trail_of_a_window_reads_only_episodes_within_reach(url: str) -> None:
    read = reads(url, "patterns/trail", scope=SCOPE.id, lo=CROWD - REACH, hi=CROWD - 1)

    assert ("episodes_default", "episodes_default_pkey", REACH) in read.scans
    assert read.rows() <= 3 * REACH, read


def test_preferences_are_searched_only_in_deltas_since_the_last_run(url: str) -> None:
    arguments: dict[str, Any] = {"family": sorted(FAMILY), "prefixes": [r"favourite\_%"]}
    since = datetime(2026, 3, 2, tzinfo=UTC) + timedelta(seconds=CROWD - 10)
    read = reads(url, "patterns/preferences", scope=SCOPE.id, since=since, **arguments)

    assert {"deltas_scope_recorded_key", "facts_of_delta", "deltas_confirming"} <= read.by()
    assert read.rows() <= 200, read


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ({"after_recorded": "2026-03-02T01:00:00Z", "after": uuid.UUID(int=0)}, "deltas_in_order"),
        ({"since": "2026-03-02T01:00:00Z"}, "deltas_in_order"),
        ({"run": 7}, "deltas_of_run"),
    ],
)
def test_a_page_of_deltas_reads_no_more_than_the_page(url: str, asked: dict[str, Any], index: str) -> None:
    anything: dict[str, Any] = dict.fromkeys(("scopes", "run", "kind", "since", "after", "after_recorded", "before"))
    read = reads(url, "beliefs/deltas", **{**anything, "scope": SCOPE.id, "most": 10, **asked})

    assert index in read.by()
    assert max(rows for *_, rows in read.scans) <= 20, "a page, and what lies between of scopes that are not there"
