"""The facts that a run loads: those that its claims may affect, from earlier windows or in other words."""

from collections.abc import Iterator

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope, due_work
from slowwave.settings import Settings
from slowwave.store.inbox.inbox import PostgresInbox
from slowwave.wiring import Parts
from tests.integration.steps import Told, learn, process

LONG_AGO = ["The weather is fine"] * 8
LIKES = "SELECT object FROM facts WHERE predicate = 'likes' AND upper_inf(recorded) ORDER BY object"


def tastes(parts: Parts, scope: Scope, *windows: list[Episode]) -> list[str]:
    """Return the user's likes after each window was consolidated alone."""
    inbox = PostgresInbox(parts.database)
    for window in windows:
        inbox.store([(scope, episode) for episode in window])
        with parts.database.tenant(scope.tenant) as connection:
            connection.exec_driver_sql("UPDATE intents SET due = slowwave_now()")
        while due_work.run_next(parts, owner="test", scope=scope.id) is not None:
            pass
    with parts.database.tenant(scope.tenant) as connection:
        return list(connection.exec_driver_sql(LIKES).scalars())


@pytest.mark.parametrize(
    ("texts", "likes"),
    [
        (["I like tea", *LONG_AGO, "I like coffee"], ["tea"]),
        (["I like tea", "Forget that I like tea", *LONG_AGO, "I like coffee"], ["coffee"]),
    ],
    ids=["an old fact is kept", "a forgotten fact changes nothing"],
)
@pytest.mark.parametrize("windows", [1, 2])
def test_a_correction_keeps_the_meant_fact_in_the_same_window_and_in_the_next(
    parts: Parts, scope: Scope, told: Told, texts: list[str], likes: list[str], windows: int
) -> None:
    before, meant = told(*texts), told("No, I meant tea", start=len(texts))

    assert tastes(parts, scope, *([[*before, *meant]] if windows == 1 else [before, meant])) == likes


def test_singular_and_plural_of_an_object_make_one_fact_with_both_sources(parts: Parts, scope: Scope) -> None:
    memory = MemoryScope(parts, scope)
    learn(memory, "I love the ocean.", "I love oceans.", "I love red roses.", "I love blue roses.")
    facts = {fact.object: fact for fact in memory.facts(form="typed")}
    steps = memory.why(facts["the ocean"].id).steps

    assert facts.keys() == {"the ocean", "red roses", "blue roses"}
    assert [(step.kind, step.evidence[0].content) for step in steps] == [
        ("add", "I love the ocean."),
        ("noop", "I love oceans."),
    ]


def test_a_fact_is_not_confirmed_by_its_own_episode(parts: Parts, scope: Scope) -> None:
    memory = learn(MemoryScope(parts, scope), "I moved to Ghent in September", key="told")
    (fact,) = memory.facts(form="typed")

    assert [step.kind for step in memory.why(fact.id).steps] == ["add"]


@pytest.fixture
def understanding(settings: Settings, statement_parts: dict[str, object]) -> Iterator[Parts]:
    """The parts of an installation that also extracts statements."""
    with process(settings, statement_parts, statements=True) as parts:
        yield parts


def test_a_statement_said_again_in_another_run_confirms_the_first(understanding: Parts, scope: Scope) -> None:
    memory = MemoryScope(understanding, scope)
    told = [
        "I repair old clocks in the shed.",
        "I repair an old clock in the shed.",
        "I repair old radios in the shed.",
    ]
    learn(memory, *told)
    facts = {fact.text: fact for fact in memory.facts(form="statement")}
    steps = memory.why(facts["The user repairs old clocks in the shed"].id).steps

    assert facts.keys() == {"The user repairs old clocks in the shed", "The user repairs old radios in the shed"}
    assert [(step.kind, step.evidence[0].content) for step in steps] == [("add", told[0]), ("noop", told[1])]


def test_a_forgotten_statement_is_not_learned_in_another_number(understanding: Parts, scope: Scope) -> None:
    memory = MemoryScope(understanding, scope)
    learn(memory, "I repair old clocks in the shed.", "Forget that.", "I repair an old clock in the shed.")

    assert memory.facts(form="statement") == []
