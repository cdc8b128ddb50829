"""Pattern detection, the turns before a window and promotion read only new or due rows."""

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from slowwave.core.patterns import FAMILY
from slowwave.core.tool_attempts import REACH
from slowwave.domain.scope import Scope
from slowwave.embedded_services.postgres import PostgresServer
from slowwave.ports.context import REACH as BEFORE
from slowwave.store.statements import sql
from slowwave.wiring import Parts
from tests.databases import copied, opened
from tests.plans import explained, filled, reads, touched
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
    since = datetime(2026, 3, 2, tzinfo=UTC) + timedelta(seconds=CROWD - 10)
    family, prefixes = sorted(FAMILY), [r"favourite\_%"]
    read = reads(url, "patterns/preferences", scope=SCOPE.id, since=since, family=family, prefixes=prefixes)

    assert {"deltas_scope_recorded_key", "facts_of_delta", "deltas_confirming"} <= read.by()
    assert read.rows() <= 200, read


def test_the_confirmations_of_a_fact_read_only_its_own_deltas(url: str) -> None:
    read = touched(url, "SELECT FROM slowwave_confirmations(md5('else')::uuid, md5('f5')::uuid)")

    assert sum(rows for *_, rows in read) <= 50, read


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


LATER = datetime(2100, 1, 1, tzinfo=UTC)
SOME = uuid.UUID(int=7)
DUE = script(__file__, "promotion_plans.sql")


@pytest.fixture(scope="module")
def crowd(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Parts]:
    """Many users with memories, few of which are due; no test changes them."""
    with copied(postgres_server, template, "due") as name, opened(postgres_server, name, heavy_parts) as parts:
        owner_url = postgres_server.url("slowwave_owner", name)
        filled(owner_url, DUE, "scope_heads", "standing", "promotions", "beliefs", "facts")
        yield parts


@pytest.mark.parametrize(
    ("statement", "parameters", "indexes"),
    [
        ("promotion/looks", {"most": 500}, ["standing_promote_due"]),
        ("promotion/due_scopes", {}, ["standing_promote_due", "promotions_due"]),
        ("promotion/reviews", {"most": 500}, ["promotions_due"]),
        ("promotion/candidates", {"scopes": [SOME], "facts": [SOME]}, ["facts_of_delta", "promotions_source"]),
        ("promotion/begins", {"scopes": [SOME], "facts": [SOME]}, ["facts_of_delta"]),
        ("promotion/sources", {"versions": [7]}, ["facts_pkey"]),
        ("memory_state/queue_revocations", {"scope": SOME, "facts": [SOME], "pack": "_promote"}, ["promotions_source"]),
        ("memory_state/queue_promotions", {"scope": SOME, "facts": [SOME]}, ["standing_pkey", "scope_heads_pkey"]),
        ("promotion/looked", {"scopes": [SOME], "memories": [SOME], "dues": [LATER], "accesses": [1], "agains": [None]},
         ["standing_pkey"]),
        ("promotion/judged",
         {"promotions": [7], "seen": [LATER], "undone": [True], "again": [None], "policies": [None]},
         ["promotions_pkey"]),
    ],
)  # fmt: skip
def test_no_table_is_scanned(crowd: Parts, statement: str, parameters: Mapping[str, Any], indexes: list[str]) -> None:
    role = crowd.database.dispatch() if statement.startswith("schedule") else crowd.database.tenant("default")
    with role as connection:
        target = connection.exec_driver_sql(
            "SELECT scope FROM scope_heads WHERE user_id = 'user77' AND channel = '_global'"
        ).scalar_one()
        now = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
        plan = explained(connection, sql(statement), {"target": target, "now": now, **parameters})

    for index in indexes:
        assert index in plan, plan
    for table in ("standing", "promotions", "facts", "deltas"):
        assert f"Seq Scan on {table} " not in plan, plan


def test_queued_promotions_are_looked_up_by_scope_and_fact(crowd: Parts) -> None:
    with crowd.database.tenant("default") as connection:
        scope, facts = connection.exec_driver_sql(
            "SELECT scope, array_agg(memory) FROM standing "
            "WHERE scope = (SELECT min(scope::text)::uuid FROM standing) GROUP BY scope"
        ).one()
    url = crowd.settings.url
    assert url is not None
    read = reads(url.get_secret_value(), "memory_state/queue_promotions", scope=scope, facts=facts)

    assert {index for table, index, _ in read.scans if table == "scope_heads"} == {"scope_heads_pkey"}, read
    assert len(facts) == 20
    assert read.rows() <= 50, read
