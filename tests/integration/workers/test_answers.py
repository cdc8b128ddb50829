"""Answers become facts on the real path: however windows are cut, with both turns as sources."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from slowwave.rules import load_pack
from slowwave.wiring import Settings
from tests.unit.rules.rulepacks import written


@pytest.fixture
def scope(settings: Settings, heavy_parts: dict[str, object], scope: Scope) -> Iterator[MemoryScope]:
    """Somebody's memory, whose windows hold a single episode."""
    parts = wiring.connect(settings.model_copy(update={"window": 1}))
    vars(parts).update(heavy_parts)
    wiring.register(parts)
    yield MemoryScope(parts, scope)
    parts.close()


def talk(scope: MemoryScope, *turns: str, session: str = "s1") -> None:
    """Tell the assistant's turn, then the user's, and so on."""
    for number, text in enumerate(turns):
        scope.push(text, role="user" if number % 2 else "assistant", session=session)
    scope.consolidate()


def believed(scope: MemoryScope) -> set[tuple[str, str, str]]:
    return {(fact.subject, fact.predicate, fact.object) for fact in scope.facts()}


def test_an_answer_in_a_window_of_its_own_is_understood_and_cites_both_turns(scope: MemoryScope) -> None:
    talk(scope, "Hi! What's your name?", "Anna", "You live in Paris, right?", "Yes")
    words = {
        fact.predicate: [(one.speaker, one.words) for one in scope.why(fact.id).steps[0].evidence]
        for fact in scope.facts(form="typed")
    }

    assert believed(scope) >= {("user", "name", "Anna"), ("user", "lives_in", "Paris")}
    assert words["name"] == [("user", "Anna"), ("assistant", "What's your name")]
    assert words["lives_in"] == [("user", "Yes"), ("assistant", "You live in Paris, right")]


def test_an_answer_no_ends_only_the_asked_fact(scope: MemoryScope) -> None:
    talk(scope, "Tell me", "I live in Paris.")
    talk(scope, "Do you live in Rome?", "No")
    assert believed(scope) == {("user", "lives_in", "Paris")}

    talk(scope, "You still live in Paris, right?", "No")
    assert believed(scope) == set()


def test_a_question_of_another_session_is_not_answered(scope: MemoryScope) -> None:
    scope.push("You live in Paris, right?", role="assistant", session="s1")
    scope.push("Yes", session="s2")
    scope.consolidate()

    assert believed(scope) == set()


NAMED = """
(defrule named
  (or (episode (position ?q) (session ?s) (role assistant) (content ?c&:(str-index "your name?" ?c)))
      (before (position ?q) (session ?s) (role assistant) (content ?c&:(str-index "your name?" ?c))))
  (episode (position ?p&:(= ?p (+ ?q 1))) (session ?s) (role user) (words ?name))
  =>
  (assert (claim (position ?p) (cites ?name) (beside ?q) (predicate name) (object ?name))))
"""


def test_a_program_of_clips_rules_understands_an_answer_in_a_window_of_its_own(
    settings: Settings, heavy_parts: dict[str, object], scope: MemoryScope, tmp_path: Path
) -> None:
    case = {"it": "hears the answer", "told": [{"role": "assistant", "text": "What's your name?"}, "Anna"]}
    home = written(
        tmp_path,
        {"pack": "odd", "version": 1, "engine": "clips", "cadence": {"every": 1}},
        [{**case, "believe": ["user name Anna"]}],
    )
    (home / "rules.clp").write_text(NAMED)
    parts = wiring.connect(settings.model_copy(update={"window": 1}))
    vars(parts).update({**heavy_parts, "packs": [load_pack(home)]})
    wiring.register(parts)
    told = MemoryScope(parts, scope.scope)

    talk(told, "Hi! What's your name?", "Anna")
    (name,) = told.facts()
    (step,) = told.why(name.id).steps
    parts.close()

    assert (name.predicate, name.object, name.rule) == ("name", "Anna", "odd/reader@1")
    assert [(one.speaker, one.words) for one in step.evidence] == [
        ("user", "Anna"), ("assistant", "Hi! What's your name?"),
    ]  # fmt: skip
