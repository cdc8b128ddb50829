"""Work that is asked for is done: what fires during a run is new work, and no firing is counted twice."""

import random

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from tests.contract.harness import PACK, Harness, at_once


def test_a_firing_during_a_run_creates_a_new_intent(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    run = harness.claimed("ann")
    harness.told(scope, 3, start=6)
    harness.told(scope, 2, start=9)

    assert harness.windows(scope, "running") == [(1, 5, 5)]
    assert harness.windows(scope, "pending") == [(None, None, 10)]

    harness.settle(run)
    again = harness.claimed("ann")
    assert (again.lo, again.hi) == (6, 10)


def test_a_push_between_a_claim_and_its_apply_is_not_lost(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    run = harness.claimed("ann")
    plan = harness.parts.jobs[CONSOLIDATE].think(run, harness.parts.runs)
    harness.parts.push(scope, [Episode(content="I moved to Oslo", key="between")])
    harness.parts.runs.settle(run, plan)

    assert harness.watermark(scope) == 5
    due_work.fire(harness.parts, scope.id)
    assert harness.settle(harness.claimed("ann")) == {"add": 1}
    assert harness.watermark(scope) == 6


def test_work_beyond_the_window_gets_a_new_intent(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 120)  # windows hold fifty

    windows = []
    while run := harness.claim("ann"):
        windows.append((run.lo, run.hi))
        harness.settle(run)

    assert windows == [(1, 50), (51, 100), (101, 120)]
    assert harness.rows("SELECT count(*) FROM intents WHERE pack = %s", PACK) == [(0,)]


def test_a_count_fires_once_at_its_hundredth_episode_however_many_push_at_once(harness: Harness, scope: Scope) -> None:
    numbers = list(range(1, 100))
    random.Random(5).shuffle(numbers)

    def pusher(which: int) -> None:
        for number in numbers[which::8]:
            harness.parts.push(scope, [Episode(content=f"I like food{number}", key=f"k{number}")])

    assert at_once([lambda which=n: pusher(which) for n in range(8)]) == [None] * 8  # type: ignore[misc]
    assert _fired(harness, scope) == []
    assert harness.claim("ann") is None

    last = [lambda: harness.parts.push(scope, [Episode(content="I like food100", key="k100")])[0].repeated] * 8
    assert sorted(map(bool, at_once(last))) == [False] + [True] * 7
    assert _fired(harness, scope) == ["100"]
    assert harness.claimed("ann").hi == 50

    harness.parts.push(scope, [Episode(content=f"I like food{n}", key=f"k{n}") for n in range(101, 401)])
    assert _fired(harness, scope) == ["100", "200", "300", "400"]


def test_each_job_of_a_scope_has_its_own_watermark(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)

    harness.settle(harness.claimed("ann", jobs=[PREPARE]))

    assert harness.watermark(scope, "_prepare") == 5
    assert harness.watermark(scope) == 0
    assert harness.settle(harness.claimed("ann")) == {"add": 5}


def test_pushes_and_claims_at_once_lose_no_work(harness: Harness, scope: Scope) -> None:
    def push() -> None:
        for number in range(40):
            harness.parts.push(scope, [Episode(content=f"I like food{number}", key=f"k{number}")])
            due_work.fire(harness.parts, scope.id)

    def work_off() -> None:
        while harness.value("SELECT coalesce(sum(position), 0) FROM watermarks") < 80:
            due_work.run_next(harness.parts, owner="worker")

    assert at_once([push, work_off, work_off]) == [None] * 3

    assert harness.rows("SELECT lo, hi FROM runs WHERE pack = %s AND outcome = 'ok' ORDER BY lo", PACK)[-1][1] == 40
    assert harness.value("SELECT sum(hi - lo + 1) FROM runs WHERE pack = %s AND outcome = 'ok'", PACK) == 40
    assert harness.value("SELECT count(*) FROM deltas") == 40


def _fired(harness: Harness, scope: Scope) -> list[str]:
    rows = harness.rows("SELECT at_window FROM firings WHERE scope = %s AND schedule = 'everyday/count'", scope.id)
    return sorted((window for (window,) in rows), key=int)
