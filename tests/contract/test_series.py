"""The same episodes leave the same beliefs in any series of runs, and if they come late."""

import math
from collections import Counter
from collections.abc import Sequence

import pytest

from slowwave.domain.job_table import CONSOLIDATE, DECAY, pack_of
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Fenced
from slowwave.memory import Memory, due_work
from slowwave.settings import Settings
from slowwave.store.beliefs.digest import digest
from tests.contract.harness import PACK, Harness, somebody
from tests.contract.late_arrivals.comparing import digested
from tests.databases import registered
from tests.faults.rig.corpus import corpus

RUNNING = "SELECT scope, fence FROM runs WHERE finished IS NULL ORDER BY run"


def settle_and_claim(
    harness: Harness, run: Run, *, scope: Scope | None = None, jobs: Sequence[str] = (CONSOLIDATE,)
) -> tuple[Counter[str], Run | None]:
    """Settle *run*, and claim the next run of *jobs*."""
    plan = harness.think(run)
    return harness.parts.runs.settle_and_claim(
        run, plan, owner="ann", scope=scope.id if scope else None, jobs=jobs, overdue_seconds=0
    )


def alone(harness: Harness, *, yes: bool = True) -> None:
    """Let the process assume that its tenant is the only one, or not."""
    vars(vars(harness.parts.runs)["_turns"])["_alone_until"] = math.inf if yes else 0.0


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
    harness.later(400 * 86_400)  # early memories have faded
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


def test_a_series_reads_each_window_once_in_order(harness: Harness, scope: Scope) -> None:
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


def test_the_end_of_a_series_gives_back_its_claimed_run(harness: Harness, scope: Scope) -> None:
    harness.told(scope, 120)
    with due_work.series(harness.parts) as series:
        due_work.run_next(harness.parts, owner="ann", scope=scope.id, only=[CONSOLIDATE], series=series)
        assert series.next is not None
        assert harness.windows(scope, "running") == [(51, 100, 120)]

    assert series.jobs.keys() == harness.parts.jobs.keys()
    assert harness.rows(RUNNING) == []
    run = harness.claimed("ben")
    assert (run.pack, run.lo, run.hi) == (PACK, 51, 100)
    assert harness.rows("SELECT vanished, strikes FROM intents WHERE intent = %s", run.intent) == [(0, 0)]


UNTIL_LATE = 18
"""The longest window of the corpus in which a late claim neither changes nor repeats a later one."""


def test_windows_of_any_length_give_the_same_digest(
    harness: Harness, settings: Settings, heavy_parts: dict[str, object]
) -> None:
    digests, counts = set(), set()
    for window in (1, 7, 50):
        told = corpus(episodes=60, scopes=1, tenant=f"windows-of-{window}")
        (scope,) = told.scopes
        with registered(settings.model_copy(update={"window": window}), **heavy_parts) as parts:
            parts.push(scope, told.of(scope))
            due_work.fire(parts, scope.id)
            Memory(parts).drain()

        windows = harness.rows("SELECT hi - lo + 1 FROM runs WHERE scope = %s AND pack = %s", scope.id, PACK)
        assert max(windows) == (min(window, UNTIL_LATE),)
        digests.add(repr(digested(harness.parts, scope)))
        counts.add(
            tuple(harness.rows("SELECT kind, count(*) FROM deltas WHERE scope = %s GROUP BY 1 ORDER BY 1", scope.id))
        )

    assert len(digests) == len(counts) == 1


def test_a_digest_does_not_depend_on_the_page_size(harness: Harness, memory: Memory) -> None:
    users = ["ann", 'ann"', "ann\\", "ann,", "an", "Ånn", "ann ann", "\U0001f642", "zoe"]
    for user in users:
        for agent in ("a", "a b"):
            memory.scope(user, agent=agent).push_many([f"I like food{n}" for n in (2, 1)])
    due_work.fire(harness.parts)
    memory.drain()

    with harness.parts.database.tenant("default") as connection:
        whole = digest(connection, at_once=len(users) * 2)
        assert {digest(connection, at_once=some) for some in (1, 2, 5)} == {whole}
        assert len({digest(connection, Scope("default", user, "a").id) for user in users}) == len(users)
