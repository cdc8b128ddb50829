"""What is said again with another article or number, in another run, confirms what is held with its source."""

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope


def test_the_same_thing_in_other_words_of_number_is_one_fact_with_both_sources(
    parts: wiring.Parts, scope: Scope
) -> None:
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
