"""Undo of a run leaves the beliefs of the same history in which the run's pack proposed nothing."""

import random

import pytest

from slowwave.memory import Memory
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, reviews, sound
from tests.contract.late_arrivals.test_late_episodes import STORIES, episodes, retry
from tests.contract.late_arrivals.test_late_episodes import tell as tell_buried
from tests.contract.late_arrivals.test_late_news import STORIES as NEWS
from tests.contract.news.harness import life
from tests.contract.undo.undoing import tell, tell_all, wrote

EVERY = {**STORIES, **NEWS}
LIVES = 8


@pytest.mark.parametrize("story", EVERY)
def test_undoing_any_run_equals_a_history_without_its_claims(harness: Harness, story: str) -> None:
    said, memory = EVERY[story], Memory(harness.parts)
    for number in range(1, len(said) + 1):
        scope, never = somebody(), somebody()
        runs = tell(harness, scope, said)
        if not wrote(harness, runs[number - 1]):
            continue
        tell(harness, never, said, silent=number)
        before = believed(harness, scope)

        done = memory.undo(runs[number - 1], by="Anna", reason="misread")

        assert (number, believed(harness, scope)) == (number, believed(harness, never))
        assert reviews(harness, scope) == reviews(harness, never)
        sound(harness, never, scope)
        assert harness.rows("SELECT id FROM deltas WHERE pack = '_undo' AND again IS NULL") == []

        assert done.id is not None
        memory.undo(done.id)

        assert (number, believed(harness, scope)) == (number, before)
        sound(harness, scope)


def test_undos_in_random_histories_equal_histories_without_the_run(harness: Harness) -> None:
    memory, built_on = Memory(harness.parts), 0
    for seed in range(LIVES):
        dice, scope, never = random.Random(seed), somebody(), somebody()
        said = life(seed, passing=False, length=4)
        told = episodes([*said, *(dice.choice(said) for _ in range(5))])
        before, after = told[: len(said) + 3], told[len(said) + 3 :]
        runs = tell_all(harness, scope, before)
        number = next(one for one in dice.sample(range(1, 5), 4) if wrote(harness, runs[one - 1]))
        tell_all(harness, never, before, silent=number)

        done = memory.undo(runs[number - 1])

        built_on += bool(done.built_on)
        assert (seed, believed(harness, scope)) == (seed, believed(harness, never))
        assert (seed, reviews(harness, scope)) == (seed, reviews(harness, never))
        for one in (scope, never):
            tell_all(harness, one, after)
        assert (seed, believed(harness, scope)) == (seed, believed(harness, never)), "what is told later"
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

    retry(harness, scope)

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


def test_an_undo_can_be_taken_back_done_again_and_taken_back_again(harness: Harness) -> None:
    memory, scope = Memory(harness.parts), somebody()
    runs = tell(harness, scope, ["I like tea", "I like milk"])
    states = [believed(harness, scope)]
    last = memory.undo(runs[1])
    states.append(believed(harness, scope))

    for turn in range(4):
        last = memory.undo(last.id)
        assert believed(harness, scope) == states[turn % 2]

    assert [one.state for one in memory.undos()] == ["done", "taken back", "taken back", "taken back", "taken back"]
    assert last.what == "the undo of " * 4 + f"run {runs[1]}"
    sound(harness, scope)


def test_an_undo_after_an_erasure_removes_only_the_undone_claims(harness: Harness) -> None:
    memory, scope = Memory(harness.parts), somebody()
    runs = tell(harness, scope, ["I live in Lisbon", "I like tea", "I just moved to Oslo", "I live in Oslo"])
    harness.rows("DELETE FROM delta_payloads p USING deltas d WHERE d.id = p.delta AND d.run = %s", runs[0])

    done = memory.undo(runs[2])

    assert done.unsure == 1
    assert [(one[2], one[3].upper is None) for one in believed(harness, scope)] == [("tea", True), ("Lisbon", False)]
    sound(harness, scope)


def test_two_undos_of_the_same_claims_are_taken_back_one_by_one(harness: Harness) -> None:
    memory, scope = Memory(harness.parts), somebody()
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
