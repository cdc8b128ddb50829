"""The undo of a run leaves the beliefs of a history without it; a correction states the right fact."""

import random
from datetime import timedelta

import pytest

from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory import Memory
from tests.conftest import NOON
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, digested, reviews, same, sound
from tests.contract.late_arrivals.test_late_episodes import STORIES, episodes, retry
from tests.contract.late_arrivals.test_late_episodes import tell as tell_buried
from tests.contract.late_arrivals.test_late_news import STORIES as NEWS
from tests.contract.news.harness import life
from tests.contract.undo.undoing import counted, fact_of, tell, tell_all, tell_without, texts, wrote

EVERY = {**STORIES, **NEWS}
LIVES = 6


@pytest.mark.parametrize("story", EVERY)
def test_undoing_any_run_equals_a_history_without_its_claims(harness: Harness, memory: Memory, story: str) -> None:
    said, scope = EVERY[story], somebody()
    runs = tell(harness, scope, said)
    for number in range(1, len(said) + 1):
        if not wrote(harness, runs[number - 1]):
            continue
        never = somebody()
        tell_without(harness, never, episodes(said), number)
        before, counts = believed(harness, scope), counted(harness, scope)

        done = memory.undo(runs[number - 1], by="Anna", reason="misread")

        same(harness, scope, never, case=number)
        assert (number, counted(harness, scope)) == (number, counted(harness, never))
        assert harness.rows("SELECT id FROM deltas WHERE pack = '_undo' AND again IS NULL") == []

        assert done.id is not None
        back = memory.undo(done.id)
        assert back.what == f"the undo of run {runs[number - 1]}"
        assert [one.state for one in memory.undos() if one.id == done.id] == ["taken back"]

        assert (number, believed(harness, scope), counted(harness, scope)) == (number, before, counts)
    sound(harness, scope)


def test_undos_in_random_histories_equal_histories_without_the_run(harness: Harness, memory: Memory) -> None:
    """The digests of present beliefs are equal. Those of the past differ: an undo keeps what was believed before it."""
    built_on = 0
    for seed in range(LIVES):
        dice, scope, never = random.Random(seed), somebody(), somebody()
        said = life(seed, passing=False, length=4)
        told = episodes([*said, *(dice.choice(said) for _ in range(5))])
        before, after = told[: len(said) + 3], told[len(said) + 3 :]
        runs = tell_all(harness, scope, before)
        number = next(one for one in dice.sample(range(1, 5), 4) if wrote(harness, runs[one - 1]))
        tell_without(harness, never, before, number)

        done = memory.undo(runs[number - 1])

        built_on += bool(done.built_on)
        assert (seed, believed(harness, scope)) == (seed, believed(harness, never))
        assert (seed, reviews(harness, scope)) == (seed, reviews(harness, never))
        assert (seed, counted(harness, scope)) == (seed, counted(harness, never))
        for one in (scope, never):
            tell_all(harness, one, after)
        assert (seed, believed(harness, scope)) == (seed, believed(harness, never)), "what is told later"
        assert (seed, counted(harness, scope)) == (seed, counted(harness, never)), "what is told later"
        rows = [digested(harness.parts, one, without=4, past=False) for one in (scope, never)]
        assert (seed, rows[0]) == (seed, rows[1])
        sound(harness, never, scope)
    assert built_on >= LIVES / 2


@pytest.mark.parametrize(("late", "undone"), [(1, 2), (1, 4), (2, 3), (2, 4), (3, 1)])
def test_a_late_arrival_after_an_undo_ignores_the_undone_claims(harness: Harness, late: int, undone: int) -> None:
    said = ["I live in Lisbon", "I just moved to Oslo", "I live in Oslo", "I just moved to Rome"]
    scope, never = somebody(), somebody()
    tell_buried(harness, scope, said, buried=late)
    Memory(harness.parts).undo(
        harness.value("SELECT run FROM deltas WHERE scope = %s AND position = %s LIMIT 1", scope.id, undone)
    )

    retry(harness)

    tell(harness, never, said, silent=undone)
    assert believed(harness, scope) == believed(harness, never)
    sound(harness, never, scope)


def test_runs_are_undone_in_any_order_and_taken_back_in_any_order(harness: Harness) -> None:
    said, memory, scope = EVERY["a home confirmed since"], Memory(harness.parts), somebody()
    runs = tell(harness, scope, said)
    states = [believed(harness, scope)]
    first = memory.undo(runs[0]).id
    states.append(believed(harness, scope))
    second = memory.undo(runs[2]).id
    assert first is not None
    assert second is not None

    memory.undo(first)
    third = memory.undo(runs[0])
    memory.undo(second)
    assert believed(harness, scope) == states[1]

    memory.undo(third.runs[0])

    assert believed(harness, scope) == states[0]
    sound(harness, scope)


def test_an_undo_after_an_erasure_removes_only_the_undone_claims(harness: Harness) -> None:
    memory, scope = Memory(harness.parts), somebody()
    runs = tell(harness, scope, ["I live in Lisbon", "I like tea", "I just moved to Oslo", "I live in Oslo"])
    harness.rows("DELETE FROM delta_payloads p USING deltas d WHERE d.id = p.delta AND d.run = %s", runs[0])
    harness.rows(
        "INSERT INTO erasure_targets (erasure, scope, tenant, everything, ordinal) "
        "VALUES (gen_random_uuid(), %s, %s, false, 0)", scope.id, scope.tenant,
    )  # fmt: skip

    done = memory.undo(runs[2])

    assert done.unsure == 1
    assert [(one[2], one[3].upper is None) for one in believed(harness, scope)] == [("tea", True), ("Lisbon", False)]
    sound(harness, scope)


def test_two_undos_of_the_same_claims_are_taken_back_one_by_one(harness: Harness, memory: Memory, scope: Scope) -> None:
    runs = tell(harness, scope, ["I like tea", "I like milk"])
    told = believed(harness, scope)
    one = memory.undo(runs[1])
    every = memory.undo(since=harness.value("SELECT min(recorded) FROM deltas WHERE scope = %s", scope.id))
    assert believed(harness, scope) == []

    memory.undo(one.id)
    assert believed(harness, scope) == [], "the other undo still leaves it out"
    memory.undo(every.id)

    assert believed(harness, scope) == told
    sound(harness, scope)


LISBON, OSLO, TEA = "The user lives in Lisbon", "The user lives in Oslo", "The user likes tea"


def test_one_wrong_fact_is_corrected_with_all_that_said_so(harness: Harness, memory: Memory, scope: Scope) -> None:
    tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo", "I live in Oslo", "I like tea"])
    here = memory.scope(scope.user, agent=scope.agent)
    fact = fact_of(harness, scope, "Oslo")

    done = here.correct(fact, "Osaka", by="Anna", reason="misheard")

    assert done.what == f"fact {fact}"
    assert [one.text for one in done.withdrawn] == [OSLO]
    assert texts(harness, scope) == [TEA, "The user lives in Osaka"]
    (right,) = [one for one in here.facts() if one.object == "Osaka"]
    assert (right.id, right.rule) == (done.corrected, "correct/by_hand")
    assert right.valid_from == NOON + timedelta(minutes=2)
    (step,) = memory.why(right.id).steps
    assert step.reason.startswith("corrected by Anna: misheard")
    assert here.correct(fact, "Osaka", by="Anna", reason="misheard").corrected == done.corrected
    sound(harness, scope)


def test_correcting_a_fact_without_a_new_value_restores_the_earlier_fact(harness: Harness, memory: Memory) -> None:
    scope = somebody()
    tell(harness, scope, ["I live in Lisbon", "I just moved to Oslo"])
    here = memory.scope(scope.user, agent=scope.agent)
    fact = fact_of(harness, scope, "Oslo")

    assert here.correct(str(fact)[:13], preview=True).withdrawn[0].text == OSLO
    here.correct(str(fact)[:13])

    assert texts(harness, scope) == [LISBON]
    done = here.undos()[0]
    memory.undo(done.id)
    assert texts(harness, scope) == [OSLO]


def test_a_fact_that_is_not_believed_is_not_corrected(harness: Harness, memory: Memory, scope: Scope) -> None:
    other = somebody()
    tell(harness, scope, ["I like tea", "Forget that I like tea"])
    fact = harness.value("SELECT fact FROM facts WHERE scope = %s LIMIT 1", scope.id)

    with pytest.raises(Incorrect, match="is not believed here any more"):
        memory.scope(scope.user, agent=scope.agent).correct(fact)
    with pytest.raises(NotFound):
        memory.scope(other.user, agent=other.agent).correct(fact, "milk")
