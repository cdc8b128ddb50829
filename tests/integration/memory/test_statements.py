"""Statements beside facts with predicates, if the settings ask for them; confidential turns give neither."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.cli.demo.sample import Line, sample
from slowwave.memory import Memory
from slowwave.wiring import Parts, Settings
from tests.integration.steps import learn, process


@pytest.fixture
def telling(settings: Settings, statement_parts: dict[str, object]) -> Iterator[Memory]:
    """A memory that extracts statements."""
    with process(settings, statement_parts, statements=True) as parts:
        yield Memory(parts)


@pytest.fixture
def lived() -> list[Line]:
    """Return the lines of the sample that Nora told one agent."""
    return [line for line in sample() if (line.scope.user, line.scope.channel) == ("nora", "home")]


def test_statements_and_typed_facts_are_both_stored(telling: Memory) -> None:
    scope = learn(
        telling.scope("nora"), "I live in Lisbon. My aunt gave me a silver spoon.", speaker="Nora", key="spoon"
    )

    typed, statements = scope.facts(form="typed"), scope.facts(form="statement")
    assert ("lives_in", "Lisbon") in [(fact.predicate, fact.object) for fact in typed]
    (spoon,) = statements
    assert spoon.text == "Nora's aunt gave Nora a silver spoon"
    (step,) = telling.why(spoon.id).steps
    assert [evidence.words for evidence in step.evidence] == ["My aunt gave me a silver spoon"]
    (found, *_) = scope.recall("Who gave Nora a spoon?", kinds=["statement"])
    assert (found.id, found.form) == (spoon.id, "statement")


def test_a_typed_fact_leaves_no_statement_when_it_is_replaced(telling: Memory) -> None:
    scope = telling.scope("nora")
    scope.push("I live in Bergen.", speaker="Nora")
    scope.push("I moved to Lisbon.", speaker="Nora")
    scope.consolidate()

    assert [fact.text for fact in scope.facts() if "Bergen" in fact.text] == []
    assert scope.recall("Where does Nora live?", kinds=["statement"]) == []


QUESTIONS = ("Where does Nora live now?", "Who is Nora's boss?", "What is Nora allergic to?", "my dog")


def test_statements_do_not_change_the_other_results(telling: Memory, parts: Parts, lived: Sequence[Line]) -> None:
    found = []
    for agent, memory in (("terse", Memory(parts)), ("wordy", telling)):
        wiring.register(memory._parts)
        scope = memory.scope("nora", agent=agent)
        scope.push_many([line.episode for line in lived])
        scope.consolidate()
        found.append([scope.recall(question, limit=1000) for question in QUESTIONS])

    without, beside = found
    texts = [
        [[one.text for one in answers if one.form != "statement" and "two sisters" not in one.text] for answers in each]
        for each in (beside, without)  # statements say more: that she has two sisters
    ]
    assert [sorted(answers) for answers in texts[0]] == [sorted(answers) for answers in texts[1]]
    assert all(len(more) > len(fewer) for more, fewer in zip(beside, without, strict=True))


def test_a_current_fact_is_the_first_answer(telling: Memory, lived: Sequence[Line]) -> None:
    scope = telling.scope("nora")
    scope.push_many([line.episode for line in lived])
    scope.consolidate()

    best = [scope.recall(question, limit=1)[0] for question in ("Where does Nora live now?", "Who is Nora's boss?")]
    assert [(one.text, one.form) for one in best] == [
        ("Nora lives in Lisbon", "typed"),
        ("Henrik is Nora's boss", "typed"),
    ]


def test_statements_are_extracted_only_if_the_settings_ask_for_them(parts: Parts) -> None:
    scope = learn(Memory(parts).scope("nora"), "I live in Lisbon. My aunt gave me a silver spoon.")

    assert {fact.form for fact in scope.facts()} == {"typed"}


def test_a_password_is_believed_in_no_form_and_counted(telling: Memory) -> None:
    scope = learn(telling.scope("nora"), "My wifi password is hunter22. My aunt gave me a silver spoon.")

    assert [fact.text for fact in scope.facts(form="statement")] == ["The user's aunt gave the user a silver spoon"]
    assert not [fact for fact in scope.facts() if "hunter22" in fact.text]
    runs = telling._parts.records.runs("default", most=20)
    assert [run.counts["secrets"] for run in runs if "secrets" in run.counts] == [1]


def test_a_plan_dated_before_its_utterance_is_refused_and_counted(telling: Memory) -> None:
    scope = learn(telling.scope("nora"), "I will move to my aunt's on March 3, 2020. My aunt gave me a silver spoon.")

    assert [fact.text for fact in scope.facts(form="statement")] == ["The user's aunt gave the user a silver spoon"]
    runs = telling._parts.records.runs("default", most=20)
    refused = "plans begun before they were made"
    assert [run.counts[refused] for run in runs if refused in run.counts] == [1]


def test_forget_that_removes_the_fact_and_the_statement(telling: Memory) -> None:
    scope = telling.scope("nora")
    scope.push_many([
        {"content": "I live in Lisbon. My aunt gave me a silver spoon.", "key": "1"},
        {"content": "Forget that.", "key": "2"},
        {"content": "I live in Lisbon. My aunt gave me a silver spoon.", "key": "3"},
    ])  # fmt: skip
    scope.consolidate()

    assert scope.facts() == []
    assert [one.delta.kind for one in scope.deltas()].count("delete") == 2


STATEMENTS_ALONE = """
pack: statements
version: 5
statements: true
cadence: {every: 100}
"""
NOTHING_YET = """
pack: everyday
version: 5
cadence: {every: 100}
rules: [{id: one, says: A word that nobody says., when: xyzzy, claim: {predicate: is, object: "x"}}]
"""


def test_facts_of_a_removed_statements_pack_stay(
    settings: Settings, statement_parts: dict[str, object], tmp_path: Path
) -> None:
    for name, manifest in (("statements", STATEMENTS_ALONE), ("everyday", NOTHING_YET)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pack.yaml").write_text(manifest)
        (tmp_path / name / "cases.yaml").write_text("- {it: reads, episodes: [I built a loom in Ghent], believe: []}\n")
    with process(settings, {}, statements=True, rules=tmp_path) as parts:
        learn(Memory(parts).scope("nora"), "My aunt gave me a silver spoon.", key="before")

    with process(settings, statement_parts, statements=True) as parts:
        scope = Memory(parts).scope("nora")
        scope.push("I built a loom in Ghent.", key="after")
        reports = [report for report in scope.consolidate() if report.job == "consolidate"]

        assert [(report.pack, report.lo, report.hi) for report in reports] == [("everyday", 2, 2)]
        assert {fact.text: fact.rule.partition("/")[0] for fact in scope.facts()} == {
            "The user built a loom in Ghent": "everyday",
            "The user's aunt gave the user a silver spoon": "statements",
        }
