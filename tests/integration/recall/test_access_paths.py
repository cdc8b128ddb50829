"""The road of a question: what was told last, or what matches; and answers that are good enough."""

from datetime import timedelta

from slowwave.domain.episode import Episode
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts
from tests.conftest import NOON


def agent(parts: Parts, scope: Scope) -> MemoryScope:
    """Two sessions: one about a harbour, one that goes on."""
    memory = Memory(parts).scope(scope.user, agent=scope.agent)
    for number, (session, turn) in enumerate(
        [
            ("s1", "The harbour was grey"),
            ("s1", "My sister plays the cello"),
            ("s1", "The boat is sold"),
            ("s2", "Hello!"),
        ]
    ):
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
