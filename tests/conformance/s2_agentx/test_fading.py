"""AgentX: what was guessed loses strength day by day, shows it, and is no longer recalled below its floor."""

import pytest

from slowwave.domain.job_table import DECAY
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, chosen, later, now, run


@pytest.mark.requirement("S2.34", "S0.4")
def test_a_guess_shows_its_falling_strength_and_leaves_recall_below_the_floor(harness: Harness, scope: Scope) -> None:
    chosen(harness, "agentx")
    mine = MemoryScope(harness.parts, scope)
    harness.told(scope, 1)
    harness.drain()
    (fact,) = mine.facts()
    changed(harness, fact.id, source="inferred", base=0.7, decay_due=now(harness))
    run(harness, DECAY)

    shown = []
    for _ in range(3):
        shown.append(mine.standing(fact.id).strength)
        (entry,) = mine.search_index("food", kinds=["fact"])
        assert entry.strength == pytest.approx(shown[-1], rel=1e-4)
        (told,) = mine.profile().entries
        assert told.reasons["strength"] == pytest.approx(shown[-1], rel=1e-4)
        later(harness, days=20)
    assert shown == pytest.approx([0.7, 0.7 * 2 ** (-20 / 27.027), 0.7 * 2 ** (-40 / 27.027)], rel=1e-3)

    later(harness, days=30)
    run(harness, DECAY)
    assert mine.recall("food", kinds=["fact"]) == []
    assert mine.why(fact.id).steps[-1].reason == "it faded below `forget_below`"


@pytest.mark.requirement("S2.66")
def test_an_entity_keeps_95_of_100_a_day_and_shows_it(harness: Harness, scope: Scope) -> None:
    chosen(harness, "agentx")
    mine = MemoryScope(harness.parts, scope)
    harness.told(scope, 1)
    harness.drain()
    entity = harness.value("SELECT entity FROM entities WHERE name = 'user' AND scope = %s", scope.id)
    worth = mine.standing(entity).base

    for days in (2, 14):
        later(harness, days=days - (2 if days > 2 else 0))
        assert mine.standing(entity).strength == pytest.approx(worth * 0.95**days, rel=1e-3)
