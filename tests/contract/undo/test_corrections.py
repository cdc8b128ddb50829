"""A correction of one wrong fact: what said so is undone, and what is right takes its place."""

from datetime import timedelta

import pytest

from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import sound
from tests.contract.undo.undoing import fact_of, tell, texts

LISBON, OSLO, TEA = "The user lives in Lisbon", "The user lives in Oslo", "The user likes tea"


@pytest.fixture
def memory(harness: Harness) -> Memory:
    """The memories of the harness."""
    return Memory(harness.parts)


def test_one_wrong_fact_is_corrected_with_all_that_said_so(harness: Harness, memory: Memory) -> None:
    scope = somebody()
    tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo", "I live in Oslo", "I like tea"])
    here = memory.scope(scope.user, agent=scope.agent)
    fact = fact_of(harness, scope, "Oslo")

    done = here.correct(fact, "Osaka", by="Anna", reason="misheard")

    assert done.what == f"fact {fact}"
    assert [one.text for one in done.withdrawn] == [OSLO]
    assert texts(harness, scope) == [TEA, "The user lives in Osaka"]
    (right,) = [one for one in here.facts() if one.object == "Osaka"]
    assert (right.id, right.rule) == (done.corrected, "correct/by_hand")
    assert right.valid_from == NOON + timedelta(minutes=2)
    (step,) = memory.why(right.id).steps
    assert step.reason.startswith("corrected by Anna: misheard")
    assert here.correct(fact, "Osaka", by="Anna", reason="misheard").corrected == done.corrected
    sound(harness, scope)


def test_correcting_a_fact_without_a_new_value_restores_the_earlier_fact(harness: Harness, memory: Memory) -> None:
    scope = somebody()
    tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo"])
    here = memory.scope(scope.user, agent=scope.agent)
    fact = fact_of(harness, scope, "Oslo")

    assert here.correct(str(fact)[:13], preview=True).withdrawn[0].text == OSLO
    here.correct(str(fact)[:13])

    assert texts(harness, scope) == [LISBON]
    done = here.undos()[0]
    memory.undo(done.id)
    assert texts(harness, scope) == [OSLO]


def test_a_fact_that_is_not_believed_is_not_corrected(harness: Harness, memory: Memory) -> None:
    scope, other = somebody(), somebody()
    tell(harness, scope, ["I like tea", "Forget that I like tea"])
    fact = harness.value("SELECT fact FROM facts WHERE scope = %s LIMIT 1", scope.id)

    with pytest.raises(Incorrect, match="is not believed here any more"):
        memory.scope(scope.user, agent=scope.agent).correct(fact)
    with pytest.raises(NotFound):
        memory.scope(other.user, agent=other.agent).correct(fact, "milk")
