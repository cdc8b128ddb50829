"""A scope is worked on by one worker at a time, and only who holds it may write."""

import pytest

from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.memory import work
from tests.contract.desk import Desk, at_once, somebody


def test_two_claimers_never_get_the_same_scope(desk: Desk) -> None:
    scopes = [somebody() for _ in range(3)]
    for scope in scopes:
        desk.told(scope, 3)  # two packs are due in each: prepare and everyday

    for _ in range(5):
        claims = at_once(
            [lambda owner=str(n): desk.claim(owner, jobs=(CONSOLIDATE, PREPARE)) for n in range(8)]  # type: ignore[misc]
        )

        runs = [run for run in claims if isinstance(run, Run)]
        assert [claim for claim in claims if isinstance(claim, Exception)] == []
        assert len({run.scope for run in runs}) == len(runs) <= 3
        assert desk.value("SELECT count(*) FROM runs WHERE finished IS NULL") == len(runs)
        desk.later(2 * desk.lease)  # nobody finishes: all of it comes free again
    assert {run.scope for run in runs} == {scope.id for scope in scopes}


def test_the_fence_rejects_who_comes_too_late(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    late = desk.claimed("late")
    plan = desk.parts.jobs[CONSOLIDATE].think(late, desk.parts.runs)
    desk.later(desk.lease + 1)
    next_ = desk.claimed("next")
    assert next_.fence > late.fence

    for write in (
        lambda: desk.parts.runs.settle(late, plan),
        lambda: desk.parts.runs.give_back(late, "unavailable", wait_seconds=0, error="away"),
        lambda: desk.parts.runs.narrow(late, "odd"),
        lambda: desk.parts.runs.bury(late, category="incorrect", reason="odd"),
        lambda: desk.parts.runs.strike(late),
    ):
        with pytest.raises(Fenced):
            write()
    assert not desk.parts.runs.renew(late)

    assert desk.settle(next_) == {"add": 5}
    with pytest.raises(Fenced):  # the lease is free again, and still not his
        desk.parts.runs.settle(late, plan)
    assert desk.value("SELECT count(*) FROM deltas") == 5
    assert desk.rows("SELECT outcome FROM runs ORDER BY run") == [("vanished",), ("ok",)]


def test_who_settles_after_the_lease_but_before_anybody_else_came_may_write(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    slow = desk.claimed("slow")
    desk.later(10 * desk.lease)

    assert desk.settle(slow) == {"add": 5}


def test_a_heartbeat_extends_the_lease(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    run = desk.claimed("ann")

    for _ in range(4):
        desk.later(0.75 * desk.lease)
        assert desk.parts.runs.renew(run)
        assert desk.claim("bob") is None

    desk.later(1.1 * desk.lease)
    assert desk.claim("bob") is not None


def test_an_expired_lease_is_reclaimed_with_the_same_window(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    first = desk.claimed("ann")
    desk.told(scope, 5, start=6)
    desk.later(desk.lease + 1)

    again = desk.claimed("bob")

    assert (again.intent, again.lo, again.hi) == (first.intent, first.lo, first.hi) == (first.intent, 1, 5)


def test_a_lease_that_ends_too_far_ahead_counts_as_ended(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    desk.later(3600)
    ahead = desk.claimed("ann")

    desk.later(-0.5 * desk.lease)
    assert desk.claim("bob") is None  # within two leases the clock may have been mended

    desk.later(-3600 + 0.5 * desk.lease)
    work.fire(desk.parts, scope.id)
    desk.rows("UPDATE intents SET due = slowwave_now() WHERE due > slowwave_now()")
    again = desk.claimed("bob")
    assert (again.lo, again.hi) == (ahead.lo, ahead.hi)


def test_a_settled_run_leaves_the_scope_free_at_once(desk: Desk, scope: Scope) -> None:
    desk.told(scope, 5)
    desk.settle(desk.claimed("ann"))
    desk.told(scope, 5, start=6)

    again = desk.claimed("bob")

    assert (again.lo, again.hi) == (6, 10)
