"""AgentX, decay: 5 % a day for unused entities; inferred facts decay half as fast, from a week on."""

import uuid

import pytest

from slowwave.domain.job_table import DECAY
from slowwave.domain.scope import Scope
from slowwave.store.tiers.decay import PostgresDecay
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, chosen, later, now, run


def strength(harness: Harness, memory: uuid.UUID) -> float:
    """Return the strength of *memory* as the database computes it."""
    return PostgresDecay(harness.parts.database).strengths("default")[memory]


@pytest.mark.requirement("S2.68", "S2.69")
def test_the_nightly_job_finds_faded_memories(harness: Harness, scope: Scope) -> None:
    chosen(harness, "agentx")
    harness.told(scope, 1)
    harness.drain()
    fact = harness.value("SELECT memory FROM standing WHERE scope = %s AND kind = 'semantic'", scope.id)
    entity = harness.value("SELECT entity FROM entities WHERE name = 'user' AND scope = %s", scope.id)
    changed(harness, fact, source="inferred", base=0.7, decay_due=now(harness))
    run(harness, DECAY)

    later(harness, days=44)
    run(harness, DECAY)
    assert harness.value("SELECT faded FROM entities WHERE entity = %s", entity) is None
    later(harness, days=1)
    assert run(harness, DECAY)["fell"] == 2  # the user and the object of the like
    assert harness.value("SELECT faded FROM entities WHERE entity = %s", entity) is not None
    assert strength(harness, entity) == pytest.approx(0.95**45, rel=1e-4)
    later(harness, days=31)
    assert run(harness, DECAY)["withdrawn"] == 1
