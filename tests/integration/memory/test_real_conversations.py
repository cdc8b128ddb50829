"""Talk read by a model: what is believed of it, what is replaced and ended, what is refused, and why."""

import json
from collections.abc import Iterator, Sequence

import pytest

from slowwave import wiring
from slowwave.domain.model_calls import Message
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.settings import Settings
from tests.faults.rig.provider import answering
from tests.integration.memory.real_conversations import DAYS, HOME


def replies(messages: Sequence[Message]) -> str:
    """Return the reply that was recorded for the talk that is asked about."""
    asked = messages[-1]["content"]
    (day,) = (day for day in DAYS if day.said[0] in asked)
    return json.dumps({"claims": day.reply})


@pytest.fixture
def understood(settings: Settings, scope: Scope, heavy_parts: dict[str, object]) -> Iterator[MemoryScope]:
    """The memory of somebody whose talk of three days was read, a day after the other, with every shipped pack."""
    with answering(replies=replies) as provider:
        told = {**settings.model_dump(exclude_unset=True), "model_url": provider.url, "model": "recorded"}
        parts = wiring.connect(Settings.load(**told))
        vars(parts).update(heavy_parts)
        wiring.register(parts)
        memory = MemoryScope(parts, scope)
        for day in DAYS:
            memory.push_many(day.episodes())
            memory.consolidate()
        yield memory
        parts.close()


def test_the_final_facts_are_whole_sentences(understood: MemoryScope) -> None:
    facts = {fact.text: fact for fact in understood.facts()}

    assert set(facts) == {
        "The user works on Heron",
        "The user decided to use Postgres instead of MongoDB for Heron, since backups are simpler",
        "Heron is due on May 15th",
        "The user lives in Hamburg",
        "The user takes a cello lesson, which keeps them sane every Tuesday",
        "Greta is the user's sister",
        "Greta eröffnete Bäckerei in Bamberg on 8 March 2026",
        "Tom is the user's boss",
    }
    assert {fact.rule.partition("@")[0] for fact in facts.values()} == {"reader/model"}, "the patterns gave way"


def test_a_change_of_mind_updates_a_fact_and_an_ending_ends_it(understood: MemoryScope) -> None:
    steps = {fact.text: understood.why(fact.id).steps for fact in understood.facts()}
    replaced = {text: [old.text for old in step.replaces] for text, (step, *_) in steps.items() if step.replaces}
    ended = understood.deltas(kind="delete")

    assert replaced["The user lives in Hamburg"] == ["The user lives in Leipzig"]
    assert replaced["Heron is due on May 15th"] == ["Heron is due on April 30th"]
    assert [one.said for one in ended] == [("user", "boss", "Priya")]


def test_a_claim_that_nobody_said_is_rejected_with_its_reason(understood: MemoryScope, parts: wiring.Parts) -> None:
    found = [one for one in parts.records.rejected("default", most=50) if one.user == understood.scope.user]

    assert sorted((one.reason, one.said and one.said["o"]) for one in found) == [
        ("a name or number of the object was not said", "Initech"),
        ("it imitates the prompt", "Hamburg"),
        ("it imitates the prompt", "Moscow"),
        ("only the assistant said it", "Leipzig"),
        ("only the assistant said it", "jazz"),
        ("only the assistant said it", "jazz"),
    ]


def test_why_shows_the_source_words_and_the_replaced_fact(understood: MemoryScope) -> None:
    (home,) = (fact for fact in understood.facts() if fact.predicate == "lives_in")
    (step,) = understood.why(home.id).steps
    (before,) = step.replaces

    assert (step.kind, step.rule.partition("@")[0]) == ("update", "reader/model")
    assert before.text == "The user lives in Leipzig"
    assert [one.words for one in step.evidence] == ["nach Hamburg gezogen", HOME.said[1].removeprefix("A: ")]
    assert [one.words for one in understood.why(before.fact).steps[0].evidence] == ["I live in Leipzig"]


def test_rules_read_again_without_a_model(understood: MemoryScope, parts: wiring.Parts) -> None:
    MemoryScope(parts, understood.scope).push("I live in Oslo now.", session="after")
    MemoryScope(parts, understood.scope).consolidate()

    (home,) = (fact for fact in understood.facts() if fact.predicate == "lives_in")
    assert (home.object, home.rule.partition("/")[0]) == ("Oslo", "everyday")
