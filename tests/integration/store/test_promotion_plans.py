"""Promotion reads only due rows."""

import uuid
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from slowwave.embedded_services.postgres import PostgresServer
from slowwave.store.statements import sql
from slowwave.wiring import Parts
from tests.databases import copied, opened
from tests.plans import explained, filled, reads
from tests.scripts import script

LATER = datetime(2100, 1, 1, tzinfo=UTC)
SOME = uuid.UUID(int=7)
CROWD = script(__file__, "promotion_plans.sql")


@pytest.fixture(scope="module")
def crowd(postgres_server: PostgresServer, template: str, heavy_parts: dict[str, object]) -> Iterator[Parts]:
    """Many users with memories, few of which are due; no test changes them."""
    with copied(postgres_server, template, "crowd") as name, opened(postgres_server, name, heavy_parts) as parts:
        owner_url = postgres_server.url("slowwave_owner", name)
        filled(owner_url, CROWD, "scope_heads", "standing", "promotions", "beliefs", "facts")
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
