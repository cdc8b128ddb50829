"""Query understanding: named times, other names of an entity, and the words with content."""

from datetime import UTC, datetime, timedelta

import pytest

from slowwave import wiring
from slowwave.core.recall.time_match import OTHER_YEAR
from slowwave.domain.episode import Episode, Role
from slowwave.domain.recollection import Recollections
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.settings import Settings
from slowwave.wiring import Parts
from tests.conftest import NOON
from tests.integration.steps import process

PAINTED = {"a lake": 3, "a barn": 5, "a fox": 7}


def test_a_memory_of_the_named_time_ranks_first(parts: Parts, scope: Scope) -> None:
    agent = Memory(parts).scope(scope.user, agent=scope.agent)
    for what, month in PAINTED.items():
        at = datetime(2023, month, 9, 12, tzinfo=UTC)
        agent.push(f"I painted {what} with the children", key=what, session=what, occurred_at=at)

    for asked, what in (("in May 2023", "a barn"), ("in July", "a fox"), ("on 9 March 2023", "a lake")):
        best = agent.recall(f"What did I paint {asked}?")[0]
        assert what in best.text, asked
        assert best.reasons["time"] == (OTHER_YEAR if asked == "in July" else 1.0)  # the nearest July is another year's
    june = agent.recall("What did I paint last month?", as_of=datetime(2023, 6, 20, 12, tzinfo=UTC))
    assert "a barn" in june[0].text
    assert all("time" not in one.reasons for one in agent.recall("What did I paint?"))


SAID = "Robert Miller will not go near wasps."
AFRAID = [
    f"{who} is afraid of {what}."
    for who in ("Anna", "Karl", "Lena", "Otto", "Ruth")
    for what in ("bees", "thunder", "the dark", "deep water", "heights", "spiders", "dogs", "needles")
]


@pytest.fixture
def alice(parts: wiring.Parts) -> None:
    """A memory that mentions Robert Miller once, and the fears of others forty times."""
    memory = Memory(parts)
    scope = memory.scope("alice", agent="concierge")
    scope.graph.store_fact("Robert Miller", "name", "Bob")
    for number, text in enumerate([SAID, *AFRAID]):
        scope.push(text, key=f"e{number}", session=f"s{number}")
    memory.drain()


def asked(settings: Settings, heavy_parts: dict[str, object], **told: str) -> Recollections:
    """Return the answers in a process with these settings."""
    with process(settings, heavy_parts, **told) as parts:
        alice = Memory(parts).scope("alice", agent="concierge")
        return alice.recall("What is Bob afraid of?", kinds=["episode"], limit=10)


@pytest.mark.usefixtures("alice")
def test_expansion_finds_a_memory_under_another_name(settings: Settings, heavy_parts: dict[str, object]) -> None:
    plain = asked(settings, heavy_parts)
    expanded = asked(settings, heavy_parts, restate="expansion")

    assert SAID not in [one.text for one in plain]
    assert len(plain) == len(expanded) == 10
    assert SAID in [one.text for one in expanded]
    assert [one.reasons.get("expansion") for one in (expanded[0], plain[0])] == [1.0, None]


def told(parts: Parts, scope: Scope, *turns: tuple[Role, str]) -> MemoryScope:
    """The agent after a talk of turns, each with its role; Nadia is who speaks as the user."""
    memory = Memory(parts)
    agent = memory.scope(scope.user, agent=scope.agent)
    agent.push_many([
        Episode(content=text, role=role, session="s1", speaker="Nadia" if role == "user" else None)
        for role, text in turns
    ])  # fmt: skip
    memory.drain()
    agent.consolidate()
    return agent


def test_an_assistants_turn_ranks_below_the_users_turn(parts: Parts, scope: Scope) -> None:
    agent = told(
        parts, scope, ("user", "the boat has four berths, 9500 all in"),
        ("assistant", "The cost of that boat sounds fair."), ("user", "it rained all day here"),
    )  # fmt: skip

    assert "9500" in agent.recall("What does the boat cost?")[0].text
    (first, *_) = agent.recall("What did you say about the cost of the boat?", kinds=["episode"])
    assert first.role == "assistant"


def test_a_speakers_name_does_not_outweigh_the_questions_words(parts: Parts, scope: Scope) -> None:
    agent = told(
        parts, scope, ("user", "Hello, this is Nadia, I come from a small place by the sea"),
        ("user", "the notebook computer I write on is a rebuilt ThinkPad"), ("user", "the weather has been dreadful"),
    )  # fmt: skip

    (first, *_) = agent.recall("Which computer does Nadia write on?")

    assert "ThinkPad" in first.text


def test_a_question_with_still_ranks_the_latest_turn_first(parts: Parts, scope: Scope) -> None:
    agent = told(
        parts, scope, ("user", "I have a kiln for pots"), ("user", "the weather has been dreadful"),
        ("user", "my sister rang on the way"), ("user", "gave the kiln for pots away to the school over the road"),
    )  # fmt: skip

    assert "school" in agent.recall("Does Nadia still have a kiln for pots?", kinds=["episode"])[0].text


def test_an_explanation_contains_the_word_by_word_similarity_of_a_fact(parts: Parts, scope: Scope) -> None:
    agent = told(parts, scope, ("user", "I drive a red Volvo."), ("user", "My favourite food is lasagne."))

    found = agent.recall("Which vehicle do I drive?", kinds=["fact"], explain=True)

    assert found.explained
    car = next(one for one in found if "Volvo" in one.text)
    assert car.reasons["worded"] > next(one for one in found if "lasagne" in one.text).reasons["worded"]
    assert "worded" in [part.name for part in found.explained.parts[car.id]]


def agent(parts: Parts, scope: Scope) -> MemoryScope:
    """A memory with two sessions: one about a harbour, and an unfinished one."""
    memory = Memory(parts).scope(scope.user, agent=scope.agent)
    for number, turn in enumerate(("The harbour was grey", "My sister plays the cello", "The boat is sold", "Hello!")):
        session = "s2" if turn == "Hello!" else "s1"
        memory.push(turn, session=session, occurred_at=NOON + timedelta(hours=number))
    return memory


def test_a_question_about_last_time_returns_the_previous_sessions_latest_turns(parts: Parts, scope: Scope) -> None:
    memory = agent(parts, scope)

    found = memory.recall("What did we discuss last time?", session="s2")

    assert [one.text for one in found] == ["The boat is sold", "My sister plays the cello", "The harbour was grey"]
    assert found[0].reasons == {"sequential": 1.0, "embedded_at_recall": 1.0}
    assert [one.text for one in memory.recall("What were the last 2 messages?")] == ["Hello!", "The boat is sold"]


def test_a_question_with_a_subject_is_answered_by_matching_memories(parts: Parts, scope: Scope) -> None:
    best, *_ = agent(parts, scope).recall("Which cello did we discuss last time?")

    assert best.text == "My sister plays the cello"
    assert "sequential" not in best.reasons


def test_a_question_about_last_time_without_an_earlier_session_is_matched_normally(parts: Parts, scope: Scope) -> None:
    memory = Memory(parts).scope(scope.user, agent=scope.agent)
    memory.push("We discussed it last time, didn't we.", session="s1")

    (only,) = memory.recall("What did we discuss last time?", session="s1")

    assert "sequential" not in only.reasons


def test_recall_omits_results_below_the_minimum_score(parts: Parts, scope: Scope) -> None:
    memory = agent(parts, scope)
    everything = memory.recall("who plays the cello?")

    good = memory.recall("who plays the cello?", min_score=0.1)

    assert 0 < len(good) < len(everything)
    assert [one.id for one in good] == [one.id for one in everything if one.score >= 0.1]
    assert memory.recall("who plays the cello?", min_score=1.0) == []


LIFE = [
    "I planted tomatoes behind the shed.", "The train to Lyon was an hour late.", "We repainted the hall in yellow.",
    "My cousin plays chess on Fridays.", "The soup needed more salt.", "I lost an umbrella on the tram.",
    "The dentist moved the appointment.", "Our neighbour keeps bees.", "The bakery opens at six.",
    "I read a book on ants.",
]  # fmt: skip


def test_scores_separate_answerable_from_unanswerable_questions(parts: Parts, scope: Scope) -> None:
    memory = Memory(parts).scope(scope.user, agent=scope.agent)
    for week in range(8):
        said = [f"{words} That was in week {week}." for words in LIFE]
        memory.push_many([Episode(content=words, session=f"s{week}", occurred_at=NOON) for words in said])
    memory.push("My sister plays the cello in a quartet.", session="s9")
    Memory(parts).drain()
    strange = ("Which insurance covers the broken windscreen?", "Who won the regatta?", "What is the wifi password?")

    told = memory.recall("Who plays the cello?", min_score=0.2)

    assert [one.text for one in told] == ["My sister plays the cello in a quartet."]
    assert [memory.recall(question, min_score=0.2) for question in strange] == [[], [], []]
    assert all(memory.recall(question) for question in strange)
