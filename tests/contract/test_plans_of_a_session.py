"""A session plans a statement once for all it is given, and anew now and then, for tables grow."""

import uuid
from datetime import UTC, datetime

import psycopg
import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.store import database
from slowwave.store.statements import sql

SCOPE = Scope("default", "alice", "concierge")
OFTEN = 12
"""A statement is prepared after five times, and planned for any values after five more."""


def test_a_statement_is_prepared_once_whatever_it_is_given(parts: wiring.Parts) -> None:
    asked = "SELECT %(number)s::bigint, %(numbers)s::bigint[], %(times)s::timestamptz[] AS asked_of_any"
    given = [(1, [], []), (2**20, [7, 2**20], [None]), (9, [None, 2**40], [datetime(2026, 1, 5, tzinfo=UTC)])]

    with parts.database.tenant("default") as connection:
        for number, numbers, times in given * OFTEN:
            connection.exec_driver_sql(asked, {"number": number, "numbers": numbers, "times": times})
        prepared = connection.exec_driver_sql(
            "SELECT generic_plans + custom_plans FROM pg_prepared_statements WHERE statement LIKE '%%asked_of_any%%'"
        ).scalars()

        assert len(list(prepared)) == 1


def test_plans_made_for_an_empty_table_are_let_go_when_it_has_grown(
    parts: wiring.Parts, owner_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "PLANS_SECONDS", 1e9)
    with psycopg.connect(owner_url) as owner:
        owner.execute("ALTER TABLE standing SET (autovacuum_enabled = false)")  # else plans end when it comes by
    parts.push(SCOPE, ["hello"])
    assert "standing_pkey" not in planned(parts)  # so few rows that any index will do: what is to be let go

    with parts.database.tenant("default") as connection:
        connection.exec_driver_sql(
            "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created, sweep_due) "
            "SELECT %(scope)s, gen_random_uuid(), slowwave_tenant(), 'semantic', 'warm', .5, now(), now() "
            "FROM generate_series(1, 3000)",
            {"scope": SCOPE.id},
        )
    assert "standing_pkey" not in planned(parts)

    monkeypatch.setattr(database, "PLANS_SECONDS", 0)
    assert "standing_pkey" in planned(parts)


def planned(parts: wiring.Parts) -> str:
    """How the one session there is runs the statement that locks standings."""
    memories = [uuid.UUID(int=number) for number in range(40)]
    keys = {"scopes": [SCOPE.id] * len(memories), "memories": memories}
    for _ in range(OFTEN):
        with parts.database.tenant("default") as connection:
            connection.exec_driver_sql(sql("standing/lock"), keys)
    with parts.database.tenant("default") as connection:
        name = connection.exec_driver_sql(
            "SELECT name FROM pg_prepared_statements WHERE statement LIKE '-- The standing of these memories%%'"
        ).scalar_one()
        told = ", ".join(f"'{{{','.join(map(str, each))}}}'" for each in keys.values())
        asked = f"EXPLAIN EXECUTE {name} ({told})"
        return "\n".join(connection.exec_driver_sql(asked).scalars())
