"""Answers are read with their questions, by rules with `asked` and by modules with `before`."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from slowwave.domain.claim import Claim
from slowwave.domain.episode import StoredEpisode
from slowwave.errors import Fault
from slowwave.rules import Pack, find_pack_folders, load_pack
from tests.unit.rules.rulepacks import NINE, episode, manifest, problems_of, rule, written
from tests.unit.tables import table

ROWS = table(__file__)

MINUTE = timedelta(minutes=1)
EVERYDAY = load_pack(find_pack_folders()["everyday"])
NAMED = rule(
    id="named", says="Who is asked for a name says it.", asked=r"\byour name\?", answered=r"^(?P<object>\w+)[.!]*$",
    claim={"predicate": "name"},
)  # fmt: skip
HOME = rule(
    id="home", says="Who agrees on a home has one.", asked=r"^you live in (?P<object>\w+)", answered="^yes[.!]*$",
    claim={"predicate": "lives_in"},
)  # fmt: skip
del NAMED["when"], HOME["when"]


def talk(*turns: str | tuple[str, dict[str, Any]]) -> list[StoredEpisode]:
    """Turns of the assistant and the user, one after the other, a minute apart."""
    told = [(turn, {}) if isinstance(turn, str) else turn for turn in turns]
    usual = [{"role": "assistant" if n % 2 else "user", "occurred": NINE + n * MINUTE} for n in range(1, len(told) + 1)]
    return [
        episode(text, number=number, **{**usual[number - 1], **changes})
        for number, (text, changes) in enumerate(told, 1)
    ]


def said(claims: list[Claim], turns: list[StoredEpisode]) -> list[tuple[str, str, str, list[str]]]:
    """Return the subject, predicate, object and cited words of each claim."""
    texts = {turn.id: turn.content for turn in turns}
    return [
        (one.subject, one.predicate, one.object,
         [texts[source.episode][source.start : source.end] for source in (one.source, *one.more_sources)])
        for one in claims
    ]  # fmt: skip


@pytest.fixture
def pack(tmp_path: Path) -> Pack:
    case = {"it": "is named", "episodes": [{"role": "assistant", "text": "What's your name?"}, "Anna"],
            "believe": ["user name Anna"]}  # fmt: skip
    return load_pack(written(tmp_path, manifest(rules=[NAMED, HOME]), [case]))


def test_an_answer_is_understood_by_its_question_and_cites_both(pack: Pack) -> None:
    turns = talk("Hello there! What's your name?", "Anna! And yours?", "You live in Paris, right? I think so.", "Yes.")

    assert pack.failures() == []
    assert said(pack.propose(turns), turns) == [
        ("user", "name", "Anna", ["Anna", "What's your name"]),
        ("user", "lives_in", "Paris", ["Yes", "You live in Paris, right"]),
    ]


def test_a_question_or_an_answer_alone_gives_no_claim(pack: Pack) -> None:
    assert pack.propose(talk("You live in Paris, right?")) == []
    assert pack.propose(talk("You live in Paris, right?", "Hm", "I see", "Yes")) == []
    assert pack.propose(talk(("Yes", {"role": "user"}))) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ({}, {"role": "assistant"}),  # the assistant answers itself
        ({"role": "user"}, {}),  # so does the user
        ({"role": "user", "speaker": "Nora"}, {"speaker": "nora"}),
        ({"session": "s2"}, {}),
        ({"kind": "tool_call"}, {}),
        ({}, {"kind": "outcome"}),
        ({}, {"occurred": NINE + timedelta(days=1, minutes=2)}),  # too late to be an answer
        ({}, {"occurred": NINE}),
        ({"role": "tool"}, {}),
    ],
)
def test_only_the_next_turn_of_the_other_speaker_is_an_answer(
    pack: Pack, asked: dict[str, Any], answer: dict[str, Any]
) -> None:
    for changes in (asked, answer):
        if "speaker" in changes:
            changes["metadata"] = {"speaker": changes.pop("speaker")}

    assert pack.propose(talk(("What's your name?", asked), ("Anna", answer))) == []


@pytest.mark.parametrize(
    "question",
    ["What's your name? Where do you live?", "> What's your name?", "`What's your name?`",
     "<memory>your name?</memory>", "What's your name?" + " Well." * 1_000],
)  # fmt: skip
def test_a_turn_without_exactly_one_question_gets_no_answer(pack: Pack, question: str) -> None:
    assert pack.propose(talk(question, "Anna")) == []


def test_a_tool_call_between_question_and_answer_is_ignored(pack: Pack) -> None:
    turns = talk("What's your name?", ("ok", {"role": "tool", "kind": "tool_call"}), ("Anna", {"role": "user"}))

    assert [one.object for one in pack.propose(turns)] == ["Anna"]


def test_an_answer_counts_for_its_speaker_between_two_people_and_not_among_three(pack: Pack) -> None:
    def person(text: str, speaker: str) -> tuple[str, dict[str, Any]]:
        return text, {"role": "user", "metadata": {"speaker": speaker}}

    two = talk(person("You live in Paris?", "Nora"), person("Yes", "Tomasz"), person("You live in Oslo?", "Tomasz"),
               person("Yes!", "Nora"))  # fmt: skip
    named = talk(person("You live in Rome?", "Tomasz"), "Yes")
    three = talk(person("Hi all", "Ann"), person("You live in Paris?", "Nora"), person("Yes", "Tomasz"))

    assert [(one.subject, one.object) for one in pack.propose(two)] == [("Tomasz", "Paris"), ("Nora", "Oslo")]
    assert [(one.subject, one.object) for one in pack.propose(named)] == [("user", "Rome")]
    assert pack.propose(three) == []


@pytest.mark.parametrize(("changes", "problem"), ROWS["mistakes"])
def test_loading_reports_each_kind_of_mistake_in_an_answer_rule(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    wrong = {**{name: value for name, value in NAMED.items() if name not in ("asked", "answered")}, **changes}
    found = problems_of(tmp_path, rules=[wrong])

    assert any(problem in line for line in found), found


TURNS = ["What's your name?", "Anna", "You live in Paris, right?", "Yes", "No", "Do you have a dog?", "I live in Oslo.",
         "Are you allergic to nuts? Or to milk?", "Hello", "I'm 34", "How old are you?", "34"]  # fmt: skip
WHO = [{}, {"role": "assistant"}, {"metadata": {"speaker": "Nora"}}, {"metadata": {"speaker": "Tomasz"}},
       {"role": "tool", "kind": "tool_call"}, {"session": "s2"}]  # fmt: skip


@effort(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from(TURNS), st.sampled_from(WHO)), max_size=12), st.integers(0, 12))
def test_a_cut_between_question_and_answer_changes_nothing(told: list[tuple[str, dict[str, Any]]], cut: int) -> None:
    turns = talk(*told)

    assert EVERYDAY.propose(turns) == EVERYDAY.propose(turns[:cut]) + EVERYDAY.propose_after(turns[:cut], turns[cut:])
    singly = [claim for at in range(len(turns)) for claim in EVERYDAY.propose_after(turns[:at], turns[at : at + 1])]
    assert EVERYDAY.propose(turns) == singly


@effort(max_examples=25)
@given(st.lists(st.sampled_from(TURNS), max_size=8))
def test_an_assistants_words_alone_give_no_claim(told: list[str]) -> None:
    turns = [episode(text, number=number, role="assistant") for number, text in enumerate(told, 1)]

    assert EVERYDAY.propose(turns) == []


MODULE = """
from slowwave.domain.claim import claimed
def claims(episodes, before):
    turns = [*before, *episodes]
    for asked, told in zip(turns, turns[1:]):
        if "your name" in asked.content and told in {where}:
            yield claimed(told, told.content, "name", told.content, beside=asked)
"""


def module(folder: Path, where: str) -> Pack:
    home = written(folder, {"pack": "odd", "version": 1, "engine": "python", "cadence": {"every": 100}})
    (home / "reader.py").write_text(MODULE.format(where=where))
    (home / "cases.yaml").write_text("[{it: says nothing, episodes: [hello], believe: []}]")
    return load_pack(home)


def test_a_module_may_cite_earlier_turns_but_needs_a_turn_of_the_window(tmp_path: Path) -> None:
    turns = talk("What's your name?", "Anna", "hello")
    pack = module(tmp_path, "episodes")

    assert pack.looks_back
    assert said(pack.propose_after(turns[:1], turns[1:]), turns) == [
        ("user", "name", "Anna", ["Anna", "What's your name?"])
    ]
    with pytest.raises(Fault, match="cites words that are not in the window"):
        module(tmp_path, "turns").propose_after(turns[:2], turns[2:])
