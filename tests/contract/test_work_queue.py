"""Requested work is done, and one worker at a time works on a scope."""

import pytest

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Fenced
from slowwave.memory import due_work
from tests.contract.harness import PACK, Harness, at_once, somebody


def test_a_firing_during_a_run_creates_a_new_intent(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    run = harness.claimed("ann")
    harness.told(scope, 3, start=6)
    harness.told(scope, 2, start=9)

    assert harness.windows(scope, "running") == [(1, 5, 5)]
    assert harness.windows(scope, "pending") == [(None, None, 10)]

    harness.settle(run)
    again = harness.claimed("bob")  # the scope is free at once
    assert (again.lo, again.hi) == (6, 10)


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


def test_two_claimers_never_get_the_same_scope(harness: Harness) -> None:
    scopes = [somebody() for _ in range(3)]
    for scope in scopes:
        harness.told(scope, 3)  # two packs are due in each: prepare and everyday

    for _ in range(5):
        claims = at_once(
            [lambda owner=str(n): harness.claim(owner, jobs=(CONSOLIDATE, PREPARE)) for n in range(8)]  # type: ignore[misc]
        )

        runs = [run for run in claims if isinstance(run, Run)]
        assert [claim for claim in claims if isinstance(claim, Exception)] == []
        assert len({run.scope for run in runs}) == len(runs) <= 3
        assert harness.value("SELECT count(*) FROM runs WHERE finished IS NULL") == len(runs)
        harness.later(2 * harness.lease)  # no run is settled: all leases expire
    assert {run.scope for run in runs} == {scope.id for scope in scopes}


def test_the_fence_refuses_a_run_whose_lease_was_taken(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    late = harness.claimed("late")
    plan = harness.think(late)
    harness.later(harness.lease + 1)
    next_ = harness.claimed("next")
    assert next_.fence > late.fence

    for write in (
        lambda: harness.parts.runs.settle(late, plan),
        lambda: harness.parts.runs.give_back(late, "unavailable", wait_seconds=0, error="away"),
        lambda: harness.parts.runs.narrow(late, "odd"),
        lambda: harness.parts.runs.bury(late, category="incorrect", reason="odd"),
        lambda: harness.parts.runs.strike(late),
    ):
        with pytest.raises(Fenced):
            write()
    assert not harness.parts.runs.renew(late)

    assert harness.settle(next_) == {"add": 5}
    with pytest.raises(Fenced):  # the lease is free again, but it is not this worker's
        harness.parts.runs.settle(late, plan)
    assert harness.value("SELECT count(*) FROM deltas") == 5
    assert harness.rows("SELECT outcome FROM runs ORDER BY run") == [("vanished",), ("ok",)]


def test_an_expired_run_commits_if_no_other_worker_took_its_lease(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    slow = harness.claimed("slow")
    harness.later(10 * harness.lease)

    assert harness.settle(slow) == {"add": 5}


def test_a_heartbeat_extends_the_lease(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    run = harness.claimed("ann")

    for _ in range(4):
        harness.later(0.75 * harness.lease)
        assert harness.parts.runs.renew(run)
        assert harness.claim("bob") is None

    harness.later(1.1 * harness.lease)
    assert harness.claim("bob") is not None


def test_an_expired_lease_is_reclaimed_with_the_same_window(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    first = harness.claimed("ann")
    harness.told(scope, 5, start=6)
    harness.later(harness.lease + 1)

    again = harness.claimed("bob")

    assert (again.intent, again.lo, again.hi) == (first.intent, first.lo, first.hi) == (first.intent, 1, 5)


def test_a_lease_far_in_the_future_counts_as_ended(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 5)
    harness.later(3600)
    ahead = harness.claimed("ann")

    harness.later(-0.5 * harness.lease)
    assert harness.claim("bob") is None  # the clock may have been corrected within two leases

    harness.later(-3600 + 0.5 * harness.lease)
    due_work.fire(harness.parts, scope.id)
    harness.rows("UPDATE intents SET due = slowwave_now() WHERE due > slowwave_now()")
    again = harness.claimed("bob")
    assert (again.lo, again.hi) == (ahead.lo, ahead.hi)


def test_a_version_that_was_replaced_meanwhile_is_a_lost_race(harness: Harness, scope: Scope) -> None:
    harness.learn(scope, ["I live in Lisbon"])
    harness.parts.push(scope, ["I just moved to Oslo"])
    due_work.fire(harness.parts, scope.id)
    run = harness.claimed(scope=scope)
    plan = harness.think(run)
    harness.rows("CREATE TEMPORARY TABLE newer AS SELECT * FROM facts WHERE scope = %s", scope.id)
    harness.rows("UPDATE newer SET version = -1, recorded = tstzrange(slowwave_now(), NULL)")
    harness.rows("UPDATE facts f SET recorded = tstzrange(lower(f.recorded), lower(n.recorded)) FROM newer n")
    harness.rows("INSERT INTO facts OVERRIDING SYSTEM VALUE SELECT * FROM newer")

    with pytest.raises(Conflict):
        harness.parts.runs.settle(run, plan)
