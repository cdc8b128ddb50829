"""AgentX, decay: a twentieth a day for entities that rest, half as fast and a week late for what was inferred."""

import uuid

import pytest

from slowwave.domain.job_table import DECAY as JOB
from slowwave.domain.scope import Scope
from slowwave.rules.lifecycle import load_preset
from slowwave.store.tiers.decay import PostgresDecay
from tests.contract.desk import Desk
from tests.contract.standings import changed, chosen, later, now, run

DECAY = load_preset("agentx").policies.everybody.decay


def strength(desk: Desk, memory: uuid.UUID) -> float:
    """Return what the database computes to be left of *memory*."""
    return PostgresDecay(desk.parts.database).strengths("default")[memory]


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
