"""A turn whose facts have all ended ranks below the turn that ended them, with the time of its end."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta, timezone

import anyio
import pytest
from mcp.client import Client
from mcp.types import TextContent

from slowwave.api.mcp import CallerOf, MemoryServer, ScopeArguments
from slowwave.domain.episode import Episode
from slowwave.domain.recollection import Recollection
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.integration.command import Run
from tests.integration.steps import learn, process
from tests.unit.tables import table

ROWS = table(__file__)

THERE = timezone(timedelta(hours=1))
NOW = "What car do I drive?"
PAST = "What car did I drive before?"
HONDA, SOLD, TEA = "I drive a Honda.", "I sold the Honda.", "I like tea."


def on(day: int, month: int = 2) -> datetime:
    """Return nine in the morning of a day in 2026."""
    return datetime(2026, month, day, 9, tzinfo=UTC)


@pytest.fixture
def alice(parts: Parts) -> MemoryScope:
    """A memory with a car, with tea, and with the sale of the car."""
    return told_on(parts, {1: HONDA, 3: TEA, 20: SOLD})


def told_on(parts: Parts, days: Mapping[int, str]) -> MemoryScope:
    """Push a text on each of these *days*, in a session of its own, and consolidate it."""
    scope = Memory(parts).scope("alice", agent="concierge")
    for day, text in days.items():
        learn(scope, text, key=f"k{day}", session=f"s{day}", occurred_at=on(day).astimezone(THERE))
    return scope


def turns(found: list[Recollection]) -> list[str]:
    """Return the turns found, best first."""
    return [one.text for one in found if one.kind == "episode"]


def test_an_outdated_turn_ranks_below_the_turn_that_ended_it_and_shows_until_when(alice: MemoryScope) -> None:
    found = alice.recall(NOW)
    honda, sold = (next(one for one in found if one.text == said) for said in (HONDA, SOLD))

    assert turns(found).index(SOLD) < turns(found).index(HONDA)
    assert (honda.until, sold.until) == (on(20), None)
    assert honda.until is not None
    assert honda.until.utcoffset() == honda.occurred.utcoffset()
    assert honda.text_with_end == "I drive a Honda. (so until 20 Feb 2026)"
    assert honda.reasons["outdated"] > 0
    assert sold.score >= honda.score


def test_the_only_answer_is_the_turn_that_ended_it(alice: MemoryScope) -> None:
    assert turns(alice.recall(NOW, limit=1, kinds=["episode"])) == [SOLD]
    assert turns(alice.recall("Honda", limit=2, kinds=["episode"])) == [SOLD, HONDA]


@pytest.mark.parametrize(("question", "as_of"), [(PAST, None), (NOW, on(10))])
def test_a_question_about_the_past_does_not_lower_an_ended_turn(
    alice: MemoryScope, question: str, as_of: datetime | None
) -> None:
    found = alice.recall(question, as_of=as_of, kinds=["episode"])

    assert found[0].text == HONDA
    assert {one.until for one in found} == {None}


def test_a_question_after_the_end_marks_the_turn_as_outdated(alice: MemoryScope) -> None:
    assert [one.until for one in alice.recall(NOW, as_of=on(20)) if one.text == HONDA] == [on(20)]


@pytest.mark.parametrize(
    ("so", "later", "question"),
    [
        ("My landlord is Mr. Brandt.", "My new landlord is Ms. Yilmaz.", "Who is my landlord?"),
        ("We use Jenkins for CI.", "We switched to Buildkite for CI.", "What do we use for CI?"),
        ("I drive a Skoda.", "Finally sold the Skoda, took the train today.", NOW),
    ],
)
def test_a_question_as_of_an_earlier_time_ranks_the_turn_of_that_time_first(
    parts: Parts, so: str, later: str, question: str
) -> None:
    scope = told_on(parts, {1: so, 20: later})

    assert turns(scope.recall(question, as_of=on(10)))[:2] == [so, later]


def test_a_turn_with_a_fact_that_still_holds_is_not_outdated(parts: Parts) -> None:
    scope = told_on(parts, {1: "I drive a Honda and I live in Oslo.", 2: SOLD})

    assert {one.until for one in scope.recall(NOW)} == {None}


@pytest.mark.parametrize(
    ("told", "ended", "question"),
    [
        ("My boyfriend is Jake.", "Jake and I broke up.", "Who is my boyfriend?"),
        ("My GP is Dr. Patel.", "Dr. Patel retired.", "Who is my GP?"),
        ("My manager is Karen.", "Karen left the company.", "Who is my manager?"),
    ],
)
def test_a_turn_that_names_the_role_in_the_words_of_the_question_is_outdated(
    parts: Parts, told: str, ended: str, question: str
) -> None:
    found = told_on(parts, {1: told, 2: ended}).recall(question)

    assert turns(found)[:1] == [ended]
    assert [one.until for one in found if one.text == told] == [on(2)]


@pytest.mark.parametrize(("question", "first"), ROWS["past"])
def test_a_past_fact_answers_a_question_about_the_past(parts: Parts, question: str, first: str) -> None:
    texts = ("I live in Hull.", "I drive a Fiat.", "I used to live in Bath.", "I used to drive a Honda.")
    scope = told_on(parts, dict(enumerate(texts, 1)))

    assert first in scope.recall(question)[0].text


def test_a_replaced_home_is_outdated(parts: Parts) -> None:
    scope = told_on(parts, {1: "I live in Lisbon.", 9: "I moved to Oslo."})

    found = scope.recall("Where do I live?", kinds=["episode"])

    assert [(one.text, one.until) for one in found] == [("I moved to Oslo.", None), ("I live in Lisbon.", on(9))]


def test_a_context_marks_outdated_turns(alice: MemoryScope) -> None:
    context = alice.context(NOW)
    (honda,) = [part for part in context.parts if part.content == HONDA]

    assert honda.until == on(20)
    assert "[Memory] user, 2026-02-01: I drive a Honda. (so until 20 Feb 2026)" in context.as_text().splitlines()
    assert not [line for line in context.as_text().splitlines() if SOLD in line and "so until" in line]


def test_the_recall_command_marks_outdated_turns(alice: MemoryScope, run: Run) -> None:
    printed = run("recall", NOW, "--user", "alice").out
    told = run("recall", NOW, "--user", "alice", "--json").json

    assert "I drive a Honda. (so until 20 Feb 2026)\n" in printed
    assert {one["text"]: one["until"] for one in told if one["kind"] == "episode"} == {
        HONDA: "2026-02-20T09:00:00+00:00", SOLD: None, TEA: None,
    }  # fmt: skip


def test_the_recall_tool_marks_outdated_turns(alice: MemoryScope, parts: Parts) -> None:
    server = MemoryServer(
        CallerOf(lambda: Memory(parts), lambda asked, verb: ScopeArguments("alice", "concierge", None, "default"))
    )

    async def talk() -> tuple[str, list[dict[str, object]]]:
        async with Client(server) as client:
            found = await client.call_tool("recall", {"question": NOW})
        (said,) = found.content
        assert isinstance(said, TextContent)
        return said.text, found.structured_content["memories"]

    text, told = anyio.run(talk)
    assert "I drive a Honda. (so until 20 Feb 2026)" in text
    assert {str(one["text"]): one.get("until") for one in told if one["kind"] == "episode"} == {
        HONDA: "2026-02-20", SOLD: None, TEA: None,
    }  # fmt: skip
    assert "null" not in json.dumps(told)


@pytest.fixture
def eva(parts: Parts, settings: Settings, statement_parts: dict[str, object]) -> Iterator[MemoryScope]:
    """A memory that also extracts statements."""
    with process(settings, statement_parts, statements=True) as stating:
        yield Memory(stating).scope("eva", agent="concierge")


def tell(scope: MemoryScope, *told: str) -> None:
    """Push these texts in one session, a minute apart."""
    for minute, said in enumerate(told):
        at = on(1) + timedelta(minutes=minute)
        scope.push(Episode(content=said, key=f"k{minute}", session="s1", occurred_at=at, metadata={"speaker": "Eva"}))
    scope.consolidate()


@pytest.mark.parametrize(("told", "meant", "question"), ROWS["corrected"])  # fmt: skip
def test_a_corrected_turn_ranks_below_the_turn_that_corrected_it(
    eva: MemoryScope, told: str, meant: str, question: str
) -> None:
    tell(eva, told, meant)
    found = eva.recall(question)

    assert turns(found)[:2] == [meant, told]
    assert {one.until for one in found} == {None}


def test_a_turn_of_which_another_belief_answers_keeps_its_rank(eva: MemoryScope) -> None:
    told, meant = "My rent is 900 euros and my landlord is called Brandt.", "argh, 950!"
    tell(eva, told, meant)

    assert turns(eva.recall("What is my landlord called?"))[:1] == [told]
    assert turns(eva.recall("How much is my rent?"))[:1] == [meant]


def test_a_turn_is_not_corrected_by_a_value_of_another_thing(eva: MemoryScope) -> None:
    tell(eva, "My rent is 900 euros.", "argh, 950 unread mails!", "I have lived in Hull since 2019.")

    assert turns(eva.recall("How much is my rent?"))[:1] == ["My rent is 900 euros."]


def test_a_question_as_of_a_time_before_the_correction_gets_the_uncorrected_turn(eva: MemoryScope) -> None:
    tell(eva, "My rent is 900 euros.", "argh, 950!")

    assert turns(eva.recall("How much is my rent?", as_of=on(1)))[:1] == ["My rent is 900 euros."]


def test_words_that_say_only_that_a_question_is_about_now_match_nothing(parts: Parts) -> None:
    gum = "34 days without a cigarette, at the moment of truth I chewed gum"
    scope = told_on(parts, {1: "I live in Bergen.", 2: gum})

    for question in ("Where am I living these days?", "Where do I live at the moment?"):
        (first, *_) = scope.recall(question)
        assert "Bergen" in first.text, question
        assert not any("cigarette" in one.text and one.reasons.get("keyword") for one in scope.recall(question))
