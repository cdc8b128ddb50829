"""Unread languages and answers to questions, as a worker handles them."""

import sys
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from slowwave import wiring
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.rules import load_pack
from slowwave.settings import Settings
from tests.databases import registered
from tests.integration.command import Run
from tests.integration.workers.test_work import work_until_idle
from tests.unit.rules.rulepacks import written

SPANISH = "Mi hermana trabaja en un hospital cerca de Sevilla."
GERMAN = "Seit dem Frühling wohne ich mit meinem Bruder in Leipzig."
TOLD = [SPANISH, "I moved to Oslo last week.", GERMAN, "Vivo en un pueblo pequeño cerca de Sevilla.", "Sí, claro."]


def tell(parts: wiring.Parts, url: str) -> None:
    """Push all turns, and consolidate them in a separate worker process."""
    scope = Memory(parts).scope("alice", agent="concierge")
    for text in TOLD:
        scope.push(text, session="s1")
    scope.push("Ich empfehle dir das kleine Museum am Hafen.", session="s1", role="assistant")
    scope.end_session("s1")
    work_until_idle(url)


@pytest.mark.accept
def test_a_worker_counts_unread_turns_and_commands_report_them(parts: wiring.Parts, url: str, run: Run) -> None:
    tell(parts, url)

    (read,) = (one for one in run("runs", "--json").json if one["pack"] == "everyday")
    assert read["counts"] == {"episodes": 6, "add": 1, "noop": 1, "unread_de": 1, "unread_es": 2}
    shown = run("runs").out
    assert "(Spanish)" in shown
    assert "(German)" in shown
    told = "within a day 2 turns in Spanish, 1 turn in German, which no pack reads; recall finds them"
    assert f"languages    {told}\n" in run("status").out
    assert run("status", "--json").json["unread"] == {"es": 2, "de": 1}


@pytest.mark.accept
def test_recall_finds_an_unread_turn_and_why_says_that_it_was_not_read(parts: wiring.Parts, url: str, run: Run) -> None:
    tell(parts, url)

    best, *_ = Memory(parts).scope("alice", agent="concierge").recall("hospital Sevilla")
    assert (best.text, best.kind) == (SPANISH, "episode")
    assert f"episode {str(best.id)[:8]}; " in run("recall", "hospital Sevilla", "--user", "alice").out
    said = run("why", str(best.id)[:8])
    assert said.out == (
        f"{SPANISH}  (episode; {best.id})\n"
        "    Spanish, which no active pack reads: no facts are learned from it, but recall finds it\n"
    )
    assert run("why", str(best.id), "--json").json["unread_language"] == "es"

    english, *_ = Memory(parts).scope("alice", agent="concierge").recall("moved to Oslo", kinds=["episode"])
    assert "an episode is not a fact: `slowwave facts` lists the facts" in run("why", str(english.id)).out
    assert run("why", str(uuid.UUID(int=0))).status != 0, "nobody has that one"


def test_a_pack_for_all_languages_leaves_nothing_unread(settings: Settings) -> None:
    shipped = wiring.load_packs(settings)
    with closing(wiring.connect(settings)) as parts:
        vars(parts).update(packs=[*shipped, replace(shipped[0], pack="polyglot", languages=())])
        assert parts.unread.language(SPANISH) is None
        vars(parts).update(packs=shipped)
        assert parts.unread.language(SPANISH) == "es"


@pytest.mark.parametrize(
    ("there", "said"),
    [
        (True, "py3langid 0.4.0: turns in a language that no pack reads are counted"),
        (False, 'not installed, so turns in unread languages are not counted; pip install "slowwave[languages]"'),
    ],
)
def test_doctor_says_whether_language_detection_is_available(
    parts: wiring.Parts, run: Run, monkeypatch: pytest.MonkeyPatch, there: bool, said: str
) -> None:
    if not there:
        monkeypatch.setitem(sys.modules, "py3langid", None)
    assert f"ok languages {said} " in " ".join(run("doctor").out.split())


@pytest.fixture
def scope(settings: Settings, heavy_parts: dict[str, object], scope: Scope) -> Iterator[MemoryScope]:
    """A scope with windows of a single episode."""
    with registered(settings.model_copy(update={"window": 1}), **heavy_parts) as parts:
        yield MemoryScope(parts, scope)


def talk(scope: MemoryScope, *turns: str, session: str = "s1") -> None:
    """Push turns of the assistant and the user alternately."""
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


def test_a_program_of_clips_rules_understands_an_answer_in_its_own_window(scope: MemoryScope, tmp_path: Path) -> None:
    case = {"it": "hears the answer", "episodes": [{"role": "assistant", "text": "What's your name?"}, "Anna"]}
    home = written(
        tmp_path,
        {"pack": "odd", "version": 1, "engine": "clips", "cadence": {"every": 1}},
        [{**case, "believe": ["user name Anna"]}],
    )
    (home / "rules.clp").write_text(NAMED)
    with registered(scope._parts.settings, embedder=scope._parts.embedder, packs=[load_pack(home)]) as parts:
        reader = MemoryScope(parts, scope.scope)
        talk(reader, "Hi! What's your name?", "Anna")
        (name,) = reader.facts()
        (step,) = reader.why(name.id).steps

    assert (name.predicate, name.object, name.rule) == ("name", "Anna", "odd/reader@1")
    assert [(one.speaker, one.words) for one in step.evidence] == [
        ("user", "Anna"), ("assistant", "Hi! What's your name?"),
    ]  # fmt: skip
