"""AgentX, decay: a twentieth a day for entities that rest, half as fast and a week late for what was inferred."""

import math
import uuid

import pytest

from slowwave.core.decay import DecayRule
from slowwave.core.salience import SalienceContext, Scoring, salience
from slowwave.domain.run import DECAY as JOB
from slowwave.domain.scope import Scope
from slowwave.rules.lifecycle import load_preset
from slowwave.store.tiers.decay import PostgresFading
from tests.contract.desk import Desk
from tests.contract.standings import changed, chosen, later, now, run
from tests.unit.standings import DAY, HOUR, MINUTE, NOON, standing

DECAY = load_preset("agentx").policies.everybody.decay


def strength(desk: Desk, memory: uuid.UUID) -> float:
    """Return what the database computes to be left of *memory*."""
    return PostgresFading(desk.parts.database).strengths("default")[memory]


@pytest.mark.requirement("S2.66")
@pytest.mark.parametrize("days", [0, 1, 2, 13, 14, 30, 365])
def test_day_k_is_exactly_ninety_five_percent_to_the_k(days: int) -> None:
    entity = standing(kind="entity", base=1.0, created=NOON - 90 * DAY, last_access=NOON)

    assert DECAY.strength(entity, NOON + days * DAY) == pytest.approx(0.95**days, rel=1e-12)


@pytest.mark.requirement("S2.66")
def test_the_half_life_is_thirteen_and_a_half_days() -> None:
    rule = DECAY.rule_of(standing(kind="entity"))

    assert rule is not None
    assert rule.half_life_seconds / 86_400 == pytest.approx(13.51, abs=0.005)


@pytest.mark.requirement("S2.67")
def test_frequency_lifts_logarithmically_and_recency_by_an_inverse_exponential() -> None:
    rule = DecayRule(1.0, "last_access", familiarity=0.1, freshness=0.2)
    old = NOON + 9 * DAY

    for count in (0, 1, 10, 100):
        used = standing(base=0.0, access_count=count, last_access=NOON)
        assert rule.strength(used, old) == pytest.approx(0.1 * math.log(1 + count) + 0.2 * math.exp(-9), abs=1e-12)
    for hours in (0, 12, 24, 72):
        fresh = standing(base=0.0, last_access=NOON)
        assert rule.strength(fresh, NOON + hours * HOUR) == pytest.approx(0.2 * math.exp(-hours / 24))


@pytest.mark.requirement("S2.67")
def test_in_the_rank_both_lift_a_memory_too() -> None:
    scoring, context = Scoring(), SalienceContext(NOON + 2 * DAY)

    assert salience(standing(frequency=5), context, scoring) > salience(standing(), context, scoring)
    assert salience(standing(last_access=NOON + DAY), context, scoring) > salience(standing(), context, scoring)


@pytest.mark.requirement("S2.68")
def test_an_entity_rests_a_day_before_it_fades() -> None:
    entity = standing(kind="entity", base=1.0, last_access=NOON)

    assert DECAY.strength(entity, NOON + DAY - MINUTE) == 1.0
    assert DECAY.strength(entity, NOON + DAY) == pytest.approx(0.95)


@pytest.mark.requirement("S2.69")
def test_only_what_was_inferred_fades_weekly_and_slower() -> None:
    inferred, stated = standing(source="inferred", base=0.7), standing(base=0.7)

    assert DECAY.strength(stated, NOON + 3_650 * DAY) == 0.7
    assert DECAY.strength(inferred, NOON + 7 * DAY - MINUTE) == 0.7
    for days in (7, 14, 27.027, 60):
        assert DECAY.strength(inferred, NOON + days * DAY) == pytest.approx(0.7 * 0.5 ** (days / 27.027))
        assert DECAY.strength(inferred, NOON + days * DAY) > 0.7 * 0.95**days


@pytest.mark.requirement("S2.68", "S2.69")
def test_the_nightly_job_finds_what_has_faded(desk: Desk, scope: Scope) -> None:
    chosen(desk, "agentx")
    desk.told(scope, 1)
    desk.drain()
    fact = desk.value("SELECT memory FROM standing WHERE scope = %s AND kind = 'semantic'", scope.id)
    entity = desk.value("SELECT memory FROM standing WHERE scope = %s AND kind = 'entity'", scope.id)
    changed(desk, fact, source="inferred", base=0.7, decay_due=now(desk))
    run(desk, JOB)

    later(desk, days=44)
    run(desk, JOB)
    assert desk.value("SELECT faded FROM entities WHERE entity = %s", entity) is None
    later(desk, days=1)
    assert run(desk, JOB)["fell"] == 1
    assert desk.value("SELECT faded FROM entities WHERE entity = %s", entity) is not None
    assert strength(desk, entity) == pytest.approx(0.95**45, rel=1e-4)
    later(desk, days=31)
    assert run(desk, JOB)["withdrawn"] == 1


@pytest.mark.requirement("S2.66")
def test_redis_is_not_asked_so_flushing_it_decays_nothing_twice(desk: Desk, scope: Scope) -> None:
    """Strength is a function of stored times: whatever is lost between two ticks, the second finds the same."""
    chosen(desk, "agentx")
    desk.told(scope, 1)
    desk.drain()
    entity = desk.value("SELECT memory FROM standing WHERE scope = %s AND kind = 'entity'", scope.id)
    later(desk, days=50)
    desk.parts.schedule.fire_job(JOB, "_decay", by="one tick")
    run(desk, JOB)
    once = strength(desk, entity)

    changed(desk, entity, decay_due=now(desk))
    run(desk, JOB)

    assert strength(desk, entity) == pytest.approx(once, rel=1e-4)
    assert desk.value("SELECT count(*) FROM runs WHERE job = 'decay' AND outcome = 'ok'") >= 2
