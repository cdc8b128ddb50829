"""Work that is asked for is done: what fires during a run is new work, and no firing is counted twice."""

import random

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.scope import Scope
from slowwave.memory import work
from tests.contract.desk import PACK, Desk, at_once


def test_a_firing_during_a_run_makes_new_work_and_never_joins_the_running(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    run = desk.claimed("ann")
    desk.told(scope, 3, start=6)
    desk.told(scope, 2, start=9)

    assert desk.windows(scope, "running") == [(1, 5, 5)]
    assert desk.windows(scope, "pending") == [(None, None, 10)]

    desk.settle(run)
    again = desk.claimed("ann")
    assert (again.lo, again.hi) == (6, 10)


def test_a_push_between_a_claim_and_its_apply_is_not_lost(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    run = desk.claimed("ann")
    plan = desk.parts.jobs[CONSOLIDATE].think(run, desk.parts.runs)
    desk.parts.push(scope, [Episode(content="I moved to Oslo", key="between")])
    desk.parts.runs.settle(run, plan)

    assert desk.watermark(scope) == 5
    work.fire(desk.parts, scope.id)
    assert desk.settle(desk.claimed("ann")) == {"add": 1}
    assert desk.watermark(scope) == 6


def test_what_was_asked_for_beyond_the_window_is_asked_for_again(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 120)  # windows hold fifty

    windows = []
    while run := desk.claim("ann"):
        windows.append((run.lo, run.hi))
        desk.settle(run)

    assert windows == [(1, 50), (51, 100), (101, 120)]
    assert desk.rows("SELECT count(*) FROM intents WHERE pack = %s", PACK) == [(0,)]


def test_a_count_fires_once_at_its_hundredth_episode_however_many_push_at_once(desk: Desk, scope: Scope) -> None:
    numbers = list(range(1, 100))
    random.Random(5).shuffle(numbers)

    def pusher(which: int) -> None:
        for number in numbers[which::8]:
            desk.parts.push(scope, [Episode(content=f"I like food{number}", key=f"k{number}")])

    assert at_once([lambda which=n: pusher(which) for n in range(8)]) == [None] * 8  # type: ignore[misc]
    assert _fired(desk, scope) == []
    assert desk.claim("ann") is None

    last = [lambda: desk.parts.push(scope, [Episode(content="I like food100", key="k100")])[0].repeated] * 8
    assert sorted(map(bool, at_once(last))) == [False] + [True] * 7
    assert _fired(desk, scope) == ["100"]
    assert desk.claimed("ann").hi == 50

    desk.parts.push(scope, [Episode(content=f"I like food{n}", key=f"k{n}") for n in range(101, 401)])
    assert _fired(desk, scope) == ["100", "200", "300", "400"]


def test_the_jobs_of_a_scope_are_kept_apart(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)

    desk.settle(desk.claimed("ann", jobs=[PREPARE]))

    assert desk.watermark(scope, "_prepare") == 5
    assert desk.watermark(scope) == 0
    assert desk.settle(desk.claimed("ann")) == {"add": 5}


def test_pushes_and_claims_at_once_lose_no_work(desk: Desk, scope: Scope) -> None:
    def push() -> None:
        for number in range(40):
            desk.parts.push(scope, [Episode(content=f"I like food{number}", key=f"k{number}")])
            work.fire(desk.parts, scope.id)

    def work_off() -> None:
        while desk.value("SELECT coalesce(sum(position), 0) FROM watermarks") < 80:
            work.run_next(desk.parts, owner="worker")

    assert at_once([push, work_off, work_off]) == [None] * 3

    assert desk.rows("SELECT lo, hi FROM runs WHERE pack = %s AND outcome = 'ok' ORDER BY lo", PACK)[-1][1] == 40
    assert desk.value("SELECT sum(hi - lo + 1) FROM runs WHERE pack = %s AND outcome = 'ok'", PACK) == 40
    assert desk.value("SELECT count(*) FROM deltas") == 40


def _fired(desk: Desk, scope: Scope) -> list[str]:
    rows = desk.rows("SELECT at_window FROM firings WHERE scope = %s AND schedule = 'everyday/count'", scope.id)
    return sorted((window for (window,) in rows), key=int)
