"""What reconsideration ended, denied or merged because of news holds again once the news is undone."""

import random
from collections.abc import Sequence

import pytest

from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, due_work
from tests.contract.harness import Harness, somebody
from tests.contract.late_arrivals.comparing import believed, reviews, sound
from tests.contract.late_arrivals.test_late_episodes import episodes
from tests.contract.news.test_facts_after_the_news import STORIES
from tests.contract.undo.undoing import tell_all, wrote
from tests.statements import heavy_parts, settings

__all__ = ["heavy_parts", "settings"]

FLAKY = "The flaky test test_invoice_rounding is driving me crazy at the end of every sprint"
FIXED = "Finally passed test_invoice_rounding, it was DST"


def say(harness: Harness, scope: Scope, said: str, number: int) -> int:
    """Say something as Kofi, learn it and reconsider; return the last run that learned something."""
    here = Memory(harness.parts).scope(scope.user, agent=scope.agent)
    here.push(said, speaker="Kofi", session=f"s{number}", key=f"k{number}")
    due_work.fire(harness.parts, scope.id)
    harness.drain()
    asked = "SELECT max(run) FROM runs WHERE scope = %s AND job = %s AND counts ? 'add'"
    return int(harness.value(asked, scope.id, CONSOLIDATE))


def test_undoing_news_restores_the_belief_that_it_ended(harness: Harness) -> None:
    scope = somebody()
    say(harness, scope, FLAKY, 1)
    before = believed(harness, scope)
    run = say(harness, scope, FIXED, 2)
    ended = "SELECT count(*) FROM deltas WHERE scope = %s AND pack = '_reconsider' AND kind = 'delete'"
    assert harness.value(ended, scope.id) == 1

    done = Memory(harness.parts).undo(run)

    assert believed(harness, scope) == before
    assert len(done.changed) == 1
    sound(harness, scope)

    Memory(harness.parts).undo(done.id)

    assert harness.value(
        "SELECT count(*) FROM facts WHERE scope = %s AND upper_inf(recorded) AND upper_inf(valid) AND position = 1",
        scope.id,
    ) == 0  # fmt: skip
    sound(harness, scope)


TESTS = STORIES["two tests"]
TOLD_AGAIN = [
    [*TESTS, TESTS[0]],
    [TESTS[1], "I like tea", TESTS[0], TESTS[2], "I like tea", TESTS[1]],
]
"""Lives in which the night takes the news for a belief that it does not mean, once the other one is undone."""


def mixed(seed: int) -> list[str]:
    """Return three stories, mixed, some of it told again."""
    dice, said = random.Random(seed), list[str]()
    for name in dice.sample(sorted(STORIES), 3):
        at = 0
        for one in STORIES[name]:
            at = dice.randint(at, len(said)) + 1
            said.insert(at - 1, one)
    return [*said, *dice.sample(said, 2)]


@pytest.mark.parametrize("said", [*TOLD_AGAIN, *map(mixed, range(6))])
def test_an_undo_that_is_taken_back_has_changed_nothing(harness: Harness, said: Sequence[str]) -> None:
    memory, scope = Memory(harness.parts), somebody()
    runs = tell_all(harness, scope, episodes(said))
    before = believed(harness, scope), reviews(harness, scope)

    for run in [run for run in runs if wrote(harness, run)]:
        done = memory.undo(run)
        harness.drain()
        again = memory.undo(done.id)
        harness.drain()
        assert (run, believed(harness, scope), reviews(harness, scope)) == (run, *before)
        memory.undo(memory.undo(again.id).id)
        assert (run, believed(harness, scope), reviews(harness, scope)) == (run, *before), "once more"
    sound(harness, scope)
