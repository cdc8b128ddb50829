"""A worker that does one run after another claims each with the end of the one before: both are written, or neither."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest

from slowwave.domain.job_table import CONSOLIDATE, DECAY, pack_of
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.jobs.run import Series
from slowwave.memory import due_work
from tests.contract.harness import PACK, Harness, somebody

RUNNING = "SELECT scope, fence FROM runs WHERE finished IS NULL ORDER BY run"


def settle_and_claim(
    harness: Harness, run: Run, *, scope: Scope | None = None, jobs: Sequence[str] = (CONSOLIDATE,)
) -> tuple[Counter[str], Run | None]:
    """Settle *run*, and claim what comes next of *jobs*."""
    plan = harness.parts.jobs[run.job].think(run, harness.parts.runs)
    return harness.parts.runs.settle_and_claim(
        run, plan, owner="ann", scope=scope.id if scope else None, jobs=jobs, overdue_seconds=0
    )


def alone(harness: Harness, *, yes: bool = True) -> None:
    """Make the process take its tenant for the only one, or not."""
    vars(harness.parts.runs)["_alone_until"] = math.inf if yes else 0.0


def test_the_end_of_a_run_claims_the_next_run(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(first, 60)  # windows hold fifty
    run = harness.claimed("ann")
    harness.told(second, 10)
    alone(harness)

    counts, following = settle_and_claim(harness, run)
    assert counts["add"] == 50
    assert following is not None
    assert (following.scope, following.lo, following.hi) == (second.id, 1, 10)
    assert harness.rows(RUNNING) == [(second.id, following.fence)]
    assert harness.watermark(first) == 50

    _, last = settle_and_claim(harness, following)
    assert last is not None
    assert (last.scope, last.lo, last.hi, last.fence) == (first.id, 51, 60, run.fence + 1)
    assert settle_and_claim(harness, last)[1] is None
    assert harness.rows(RUNNING) == []


def test_a_worker_of_one_scope_claims_only_runs_of_that_scope(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(second, 10)
    harness.told(first, 60)

    _, following = settle_and_claim(harness, harness.claimed("ann", scope=first), scope=first)
    assert following is not None
    assert (following.scope, following.lo) == (first.id, 51)
    assert settle_and_claim(harness, following, scope=first)[1] is None


def test_settling_claims_no_next_run_while_another_tenant_may_wait(harness: Harness) -> None:
    harness.told(somebody(), 60)
    alone(harness, yes=False)

    assert settle_and_claim(harness, harness.claimed("ann"))[1] is None


def test_settling_leaves_the_run_of_a_vanished_worker_to_the_general_claim(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(first, 10)
    harness.claimed("gone")
    harness.told(second, 10)
    run = harness.claimed("ann")
    harness.later(harness.lease - 1)
    assert harness.parts.runs.renew(run)
    harness.later(2)
    alone(harness)

    assert settle_and_claim(harness, run)[1] is None
    again = harness.claimed("ann")
    assert (again.scope, again.fence) == (first.id, 2)


def test_the_work_of_a_slice_is_claimed_on_its_own(harness: Harness) -> None:
    harness.told(somebody(), 10)
    harness.settle(harness.claimed("ann"))
    harness.later(400 * 86_400)  # what was said is long faded
    harness.told(somebody(), 10)
    run = harness.claimed("ann")
    harness.parts.schedule.fire_job(DECAY, pack_of(DECAY), by="test")
    alone(harness)

    counts, following = settle_and_claim(harness, run, jobs=[CONSOLIDATE, DECAY])
    assert (counts["add"], following) == (10, None)
    assert harness.claimed("ann", jobs=[CONSOLIDATE, DECAY]).job == DECAY


def test_a_fenced_run_claims_no_next_run(harness: Harness) -> None:
    first, second = somebody(), somebody()
    harness.told(first, 10)
    run = harness.claimed("ann")
    harness.told(second, 10)
    alone(harness)
    harness.rows("UPDATE scope_leases SET fence = fence + 1 WHERE scope = %s", first.id)

    with pytest.raises(Fenced, match="another worker holds this scope"):
        settle_and_claim(harness, run)
    assert harness.rows(RUNNING) == [(first.id, run.fence)]
    assert harness.watermark(first) == 0


def test_a_series_reads_each_window_once_in_order(harness: Harness) -> None:
    scope = somebody()
    harness.told(scope, 120)
    reports = []
    with due_work.series(harness.parts) as series:
        while report := due_work.run_next(harness.parts, owner="ann", only=[CONSOLIDATE], series=series):
            reports.append(report)

    assert [(one.lo, one.hi, one.outcome, one.deltas["add"]) for one in reports] == [
        (1, 50, "ok", 50),
        (51, 100, "ok", 50),
        (101, 120, "ok", 20),
    ]
    assert harness.watermark(scope) == 120


def test_the_end_of_a_series_gives_back_its_claimed_run(harness: Harness) -> None:
    scope = somebody()
    harness.told(scope, 120)
    with due_work.series(harness.parts) as series:
        due_work.run_next(harness.parts, owner="ann", scope=scope.id, only=[CONSOLIDATE], series=series)
        assert series.next is not None
        assert harness.windows(scope, "running") == [(51, 100, 120)]

    assert series == Series(series.next, harness.parts.jobs)
    assert harness.rows(RUNNING) == []
    run = harness.claimed("ben")
    assert (run.pack, run.lo, run.hi) == (PACK, 51, 100)
    assert harness.rows("SELECT vanished, strikes FROM intents WHERE intent = %s", run.intent) == [(0, 0)]
