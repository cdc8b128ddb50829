"""What is said again with another article or number, in another run, confirms what is held with its source."""

from collections.abc import Iterator

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.settings import Settings


def test_singular_and_plural_of_an_object_make_one_fact_with_both_sources(parts: wiring.Parts, scope: Scope) -> None:
    memory = MemoryScope(parts, scope)
    for text in ("I love the ocean.", "I love oceans.", "I love red roses.", "I love blue roses."):
        memory.push(text, key=text)
        memory.consolidate()
    facts = {fact.object: fact for fact in memory.facts(form="typed")}
    steps = memory.why(facts["the ocean"].id).steps

    assert facts.keys() == {"the ocean", "red roses", "blue roses"}
    assert [(step.kind, step.evidence[0].content) for step in steps] == [
        ("add", "I love the ocean."),
        ("noop", "I love oceans."),
    ]


def test_a_fact_is_not_confirmed_by_its_own_episode(parts: wiring.Parts, scope: Scope) -> None:
    memory = MemoryScope(parts, scope)
    memory.push("I moved to Ghent in September", key="told")
    memory.consolidate()
    (fact,) = memory.facts(form="typed")

    assert [step.kind for step in memory.why(fact.id).steps] == ["add"]


@pytest.fixture
def understanding(settings: Settings) -> Iterator[wiring.Parts]:
    """The parts of an installation that reads statements too."""
    parts = wiring.connect(settings.model_copy(update={"statements": True}))
    wiring.register(parts)
    yield parts
    parts.close()


def test_a_statement_said_again_in_another_run_confirms_the_first(understanding: wiring.Parts, scope: Scope) -> None:
    memory = MemoryScope(understanding, scope)
    told = [
        "I repair old clocks in the shed.",
        "I repair an old clock in the shed.",
        "I repair old radios in the shed.",
    ]
    for text in told:
        memory.push(text, key=text)
        memory.consolidate()
    facts = {fact.text: fact for fact in memory.facts(form="statement")}
    steps = memory.why(facts["The user repairs old clocks in the shed"].id).steps

    assert facts.keys() == {"The user repairs old clocks in the shed", "The user repairs old radios in the shed"}
    assert [(step.kind, step.evidence[0].content) for step in steps] == [("add", told[0]), ("noop", told[1])]


def test_a_forgotten_statement_is_not_learned_in_another_number(understanding: wiring.Parts, scope: Scope) -> None:
    memory = MemoryScope(understanding, scope)
    for text in ("I repair old clocks in the shed.", "Forget that.", "I repair an old clock in the shed."):
        memory.push(text, key=text)
        memory.consolidate()

    assert memory.facts(form="statement") == []
