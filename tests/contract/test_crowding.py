"""Capacity is a trigger: a rung that becomes too full asks for the sweep at once."""

from slowwave.domain.job_table import SWEEP
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from tests.contract.desk import Desk
from tests.contract.standings import chosen, column
from tests.contract.test_sweep import likes


def crowd(desk: Desk, scope: Scope, tier: str, count: int) -> None:
    """Let so many memories stand on *tier*, too important to go."""
    desk.rows(
        "INSERT INTO standing (scope, memory, tenant, kind, tier, base, created) SELECT %s, gen_random_uuid(), %s, "
        "'semantic', %s, 0.99, slowwave_now() FROM generate_series(1, %s)",
        scope.id, scope.tenant, tier, count,
    )  # fmt: skip


def waiting(desk: Desk) -> int:
    return int(desk.value("SELECT count(*) FROM intents WHERE job = %s AND hastened", SWEEP))


def test_a_fact_too_many_asks_for_the_sweep_at_once_and_once(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    crowd(desk, scope, "slow", 198)
    likes(desk, scope, "rice")
    assert waiting(desk) == 0

    likes(desk, scope, "figs", "kale")
    assert waiting(desk) == 1
    assert desk.rows("SELECT scope FROM firings WHERE schedule = 'sweep/capacity'") == [(scope.id,)]
    likes(desk, scope, "mint")
    assert desk.value("SELECT count(*) FROM firings WHERE schedule = 'sweep/capacity'") == 1

    assert desk.drain()["ok"] >= 1
    assert desk.value("SELECT count(*) FROM standing WHERE scope = %s AND tier = 'slow'", scope.id) <= 200


def test_a_step_up_into_a_full_rung_asks_for_the_sweep(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    (fact,) = likes(desk, scope, "rice")
    crowd(desk, scope, "medium", 500)
    for _ in range(3):
        MemoryScope(desk.parts, scope).recall("do I like rice?", limit=5)
    desk.parts.accesses.flush()

    assert column(desk, fact, "tier") == "medium"
    assert waiting(desk) == 1


def test_a_ladder_without_capacities_asks_for_nothing(desk: Desk, scope: Scope) -> None:
    likes(desk, scope, *(f"dish{number}" for number in range(30)))
    assert desk.value("SELECT count(*) FROM firings WHERE schedule = 'sweep/capacity'") == 0
