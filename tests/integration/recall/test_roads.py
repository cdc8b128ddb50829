"""The road of a question: what was told last, or what matches; and answers that are good enough."""

from datetime import timedelta

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


def test_what_was_discussed_last_is_told_from_the_end_and_not_from_the_session_that_goes_on(
    parts: Parts, scope: Scope
) -> None:
    memory = agent(parts, scope)

    found = memory.recall("What did we discuss last time?", session="s2")

    assert [one.text for one in found] == ["The boat is sold", "My sister plays the cello", "The harbour was grey"]
    assert found[0].reasons == {"sequential": 1.0, "embedded_at_recall": 1.0}
    assert [one.text for one in memory.recall("What were the last 2 messages?")] == ["Hello!", "The boat is sold"]


def test_a_question_with_a_subject_is_answered_by_what_matches_it_whatever_it_says_of_time(
    parts: Parts, scope: Scope
) -> None:
    best, *_ = agent(parts, scope).recall("Which cello did we discuss last time?")

    assert best.text == "My sister plays the cello"
    assert "sequential" not in best.reasons


def test_where_nothing_was_told_last_what_matches_answers(parts: Parts, scope: Scope) -> None:
    memory = Memory(parts).scope(scope.user, agent=scope.agent)
    memory.push("We discussed it last time, didn't we.", session="s1")

    (only,) = memory.recall("What did we discuss last time?", session="s1")

    assert "sequential" not in only.reasons


def test_nothing_below_the_score_asked_for_answers(parts: Parts, scope: Scope) -> None:
    memory = agent(parts, scope)
    everything = memory.recall("who plays the cello?")

    good = memory.recall("who plays the cello?", min_score=0.35)

    assert 0 < len(good) < len(everything)
    assert [one.id for one in good] == [one.id for one in everything if one.score >= 0.35]
    assert memory.recall("who plays the cello?", min_score=1.0) == []
