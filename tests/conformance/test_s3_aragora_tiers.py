"""Aragora, tiers: four timescales; what surprises or helps goes up, what fades or rests goes down."""

from datetime import timedelta
from typing import Any

import pytest

from slowwave.domain.job import SWEEP
from slowwave.domain.scope import Scope
from slowwave.rules.lifecycle import load_preset
from tests.contract.desk import Desk
from tests.contract.standings import chosen, column, now, put, run
from tests.unit.standings import HOUR

POLICY = load_preset("aragora_hope").policies.everybody
LADDER, DECAY = POLICY.ladder, POLICY.decay
SECOND = timedelta(seconds=1)
ACCESSES, SURPRISE, SUCCESSES = 3, 0.7, 2
HALF_LIVES = {"fast": HOUR, "medium": 24 * HOUR, "slow": 168 * HOUR, "glacial": 720 * HOUR}


@pytest.mark.requirement("S3.20", "S3.22")
def test_a_consolidation_moves_candidates_one_tier_up_and_says_how_many(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    today = now(desk)
    evidence: dict[str, Any] = {"evidence": today, "last_access": today, "successes": SUCCESSES, "sweep_due": today}
    memories = {tier: put(desk, scope, tier=tier, base=0.95, **evidence) for tier in ("glacial", "slow", "medium")}

    counts = run(desk, SWEEP)

    assert {tier: column(desk, memory, "tier") for tier, memory in memories.items()} == {
        "glacial": "slow",
        "slow": "medium",
        "medium": "fast",
    }
    assert counts["raised"] == 3


@pytest.mark.requirement("S3.21", "S3.22")
def test_a_tier_with_too_many_is_summed_up_and_evicted(desk: Desk, scope: Scope) -> None:
    chosen(desk, "aragora_hope")
    desk.told(scope, 3)
    desk.drain()
    facts = [fact for (fact,) in desk.rows("SELECT memory FROM standing WHERE kind = 'semantic'")]
    desk.rows("UPDATE standing SET base = 0.35, sweep_due = slowwave_now() WHERE kind = 'semantic'")
    for _ in range(197):
        put(desk, scope, tier="slow", base=0.4)
    assert run(desk, SWEEP).get("evicted", 0) == 0

    put(desk, scope, tier="slow", base=0.4, sweep_due=now(desk))
    counts = run(desk, SWEEP)

    assert (counts["evicted"], counts["summarised"]) == (21, 1)
    assert desk.value("SELECT count(*) FROM standing WHERE tier = 'slow'") == 180 + 1
    assert {column(desk, fact, "tier") for fact in facts} == {"glacial"}
    assert desk.value("SELECT count(*) FROM delta_origins WHERE relation = 'summarises'") == 3
