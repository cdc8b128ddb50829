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

LATER = datetime(2100, 1, 1, tzinfo=UTC)
SOME = uuid.UUID(int=7)
CROWD = """
INSERT INTO scope_heads (scope, tenant, user_id, agent, channel)
SELECT gen_random_uuid(), 'default', 'user' || u, 'agent', channel
FROM generate_series(1, 500) AS u, unnest(ARRAY['_global', 'a', 'b']) AS channel;
INSERT INTO standing (scope, memory, tenant, kind, tier, base, created, promote_due)
SELECT h.scope, gen_random_uuid(), 'default', 'semantic', 'warm', 1, slowwave_now(),
    CASE WHEN n = 1 AND user_id LIKE 'user7%' THEN slowwave_now() END
FROM scope_heads h, generate_series(1, 20) AS n WHERE channel <> '_global';
INSERT INTO promotions (tenant, target, fact, source_scope, source_fact, confirmed, policy, promoted, due)
SELECT 'default', h.scope, gen_random_uuid(), h.scope, gen_random_uuid(), false, '{}', slowwave_now(),
    CASE WHEN n = 1 AND user_id LIKE 'user7%' THEN slowwave_now() END
FROM scope_heads h, generate_series(1, 20) AS n WHERE channel = '_global';
INSERT INTO beliefs (scope, tenant, digest) SELECT scope, 'default', uuid_send(scope) FROM scope_heads;
INSERT INTO facts (scope, tenant, fact, belief, subject, predicate, object, single_valued, valid, recorded, confidence,
    rule, position, session, text)
SELECT b.scope, 'default', gen_random_uuid(), b.belief, 'user', 'likes', 'x' || n, false,
    tstzrange('2026-01-01'::timestamptz + n * interval '1 day', '2026-01-02'::timestamptz + n * interval '1 day'),
    tstzrange(slowwave_now(), NULL), 1, 'r', n, 's', 'user likes x' || n
FROM beliefs b, generate_series(1, 20) AS n;
"""


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
