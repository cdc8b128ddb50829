"""Due memories are found by index, however many are stored."""

import uuid
from typing import Any

import pytest

from slowwave.domain.scope import Scope
from slowwave.store.statements import sql
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import now
from tests.module_database import harness as counted
from tests.module_database import scope
from tests.plans import explained

__all__ = ["counted", "scope"]

FROM_THE_START = {"due": "0001-01-02", "scope": uuid.UUID(int=0), "memory": uuid.UUID(int=0), "most": 5_000}


@pytest.fixture(scope="module")
def plan(counted: Harness, scope: Scope) -> Any:
    """Explains a statement in a database with 20 000 memories, of which one in a hundred is due."""
    counted.rows(
        "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created, decay_due, sweep_due) "
        "SELECT md5((n / 10)::text)::uuid, md5(n::text)::uuid, %s, 'semantic', 'cold', 1, slowwave_now(), due, due "
        "FROM generate_series(1, 20000) AS n, "
        "LATERAL (SELECT slowwave_now() + make_interval(days => n %% 100)) AS d (due)",
        scope.tenant,
    )
    counted.rows("ANALYZE standing")
    return planned(counted, scope)


def planned(harness: Harness, scope: Scope) -> Any:
    def of(name: str, **parameters: object) -> str:
        with harness.parts.database.tenant(scope.tenant) as connection:
            return explained(connection, sql(name), {"now": now(harness), "slice": 3, **parameters})

    return of


WHAT_IS_DUE = {"everything": False, "write": True, "rules": "[]"}


@pytest.mark.parametrize(
    ("name", "more", "index"),
    [("tiers/decay", WHAT_IS_DUE, "standing_decay_due"), ("tiers/sweep_due", {}, "standing_sweep_due")],
)
def test_due_memories_are_found_by_index(plan: Any, name: str, more: dict[str, object], index: str) -> None:
    said = plan(name, **FROM_THE_START, **more)

    assert index in said
    assert "Seq Scan on standing" not in said


def test_a_tier_is_read_by_scope(plan: Any) -> None:
    said = plan("tiers/sweep_tier", scope=uuid.UUID(int=1), tier="cold")

    assert "standing_pkey" in said


def test_memories_are_locked_by_their_keys(plan: Any) -> None:
    said = plan("memory_state/lock", scopes=[uuid.UUID(int=1)], memories=[uuid.UUID(int=2)])

    assert "standing_pkey" in said
    assert "Seq Scan on standing" not in said


@pytest.fixture
def unknown(harness: Harness, scope: Scope) -> Any:
    """Explains a statement in a database of which the planner knows nothing: ten thousand memories have just come.

    Emptied first, as the planner takes an analysed empty table for a small one, where every index costs the same.
    """
    harness.rows("TRUNCATE standing")
    harness.rows(
        "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created) "
        "SELECT md5((n / 10)::text)::uuid, md5(n::text)::uuid, %s, 'semantic', 'cold', 1, slowwave_now() "
        "FROM generate_series(1, 10000) AS n",
        scope.tenant,
    )
    return planned(harness, scope)


def test_memories_are_locked_by_keys_without_planner_statistics(unknown: Any) -> None:
    named = [uuid.UUID(int=number) for number in range(40)]
    said = unknown("memory_state/lock", scopes=named, memories=named)

    assert "standing_pkey" in said
    assert "Hash Join" not in said


@pytest.mark.parametrize(
    ("name", "named"),
    [("tiers/sweep_tier", {"tier": "cold"}), ("memory_state/queue_promotions", {"facts": [uuid.UUID(int=2)]})],
)
def test_a_planner_without_statistics_does_not_scan_a_tenant(unknown: Any, name: str, named: dict[str, object]) -> None:
    said = unknown(name, scope=uuid.UUID(int=1), **named)

    assert "standing_pkey" in said
    assert "_due" not in said


@pytest.mark.parametrize(
    ("name", "more", "index"),
    [("tiers/decay", WHAT_IS_DUE, "standing_decay_due"), ("tiers/sweep_due", {}, "standing_sweep_due")],
)
def test_due_memories_are_found_by_index_without_planner_statistics(
    unknown: Any, name: str, more: dict[str, object], index: str
) -> None:
    assert index in unknown(name, **FROM_THE_START, **more)
