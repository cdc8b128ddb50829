"""Tenants take turns: a flood of one tenant delays another by one window."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from slowwave import wiring
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE, SEAL, pack_of
from slowwave.domain.run import Report
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.memory import due_work
from slowwave.store.work_queue import turns
from tests.contract.harness import Harness
from worker import tasks

FLOOD = 30


def flooded(harness: Harness, *tenants: str) -> None:
    for tenant in tenants:
        for number in range(FLOOD):
            harness.parts.push(Scope(tenant, f"user{number}", "a"), [Episode(content="I like tea", key="k")])
    due_work.fire(harness.parts)


def served(harness: Harness, count: int, *, jobs: Sequence[str] = (PREPARE,), others: bool = False) -> Sequence[str]:
    """Return the tenants of the next runs."""
    found = []
    for _ in range(count):
        run = harness.parts.runs.claim(owner="ann", scope=None, jobs=list(jobs), overdue_seconds=0, others=others)
        if run is not None:
            harness.settle(run)
            found.append(run.tenant)
    return found


def let_the_moment_pass(harness: Harness) -> None:
    """Let the process search for other tenants again, as after its pause."""
    vars(vars(harness.parts.runs)["_turns"])["_alone_until"] = 0.0


def test_a_small_tenant_waits_for_one_window_of_a_large_one(harness: Harness) -> None:
    flooded(harness, "flood")
    assert served(harness, 3) == ["flood"] * 3
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])
    let_the_moment_pass(harness)

    assert served(harness, 2) == ["few", "flood"]


def test_two_large_tenants_leave_turns_to_a_third(harness: Harness) -> None:
    flooded(harness, "flood", "other")
    assert served(harness, 4) == ["flood", "other", "flood", "other"]
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])

    assert "few" in served(harness, 3)


def test_a_worker_alternates_between_tenants(harness: Harness) -> None:
    flooded(harness, "flood")
    first = Scope("flood", "user7", "a")
    run = harness.claim(scope=first, jobs=[PREPARE])
    assert run is not None
    harness.settle(run)

    assert served(harness, 1, others=True) == []
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])
    let_the_moment_pass(harness)
    assert served(harness, 1, others=True) == []  # a new round begins: no tenant waits
    assert harness.claim(scope=Scope("flood", "user8", "a"), jobs=[PREPARE]) is not None
    assert served(harness, 1, others=True) == ["few"]


def test_the_runs_of_another_tenant_alternate_with_the_runs_that_messages_ask_for(harness: Harness) -> None:
    flooded(harness, "flood")
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])
    harness.parts.push(Scope("few", "bob", "a"), [Episode(content="I like tea", key="k")])

    for number in range(2):
        run = harness.claim(scope=Scope("flood", f"user{number}", "a"), jobs=[PREPARE])
        assert run is not None
        harness.settle(run)
        assert served(harness, 1, others=True) == ["few"]


def test_a_slow_search_makes_no_long_pause(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    own = turns.Turns(harness.parts.database)
    now = [0.0]
    monkeypatch.setattr(turns, "clock", SimpleNamespace(monotonic=lambda: now[0]))
    own.count("flood")
    now[0] = 30.0
    own.new_round(0.0)
    assert own.alone

    now[0] += turns.LONGEST_PAUSE_SECONDS
    assert not own.alone


def test_a_process_of_one_tenant_checks_for_other_tenants_after_an_interval(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    flooded(harness, "flood")
    monkeypatch.setattr(turns, "SEARCH_SHARE", 1e-9)
    monkeypatch.setattr(turns, "LONGEST_PAUSE_SECONDS", 3600.0)
    assert served(harness, 2) == ["flood"] * 2
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])
    assert served(harness, 2) == ["flood"] * 2

    let_the_moment_pass(harness)

    assert served(harness, 1) == ["few"]


def test_a_job_of_the_installation_takes_its_turn_after_one_run_of_each_tenant(harness: Harness) -> None:
    tenants = ["one", "two", "three", "four"]
    flooded(harness, *tenants)
    harness.parts.schedule.fire_job(SEAL, pack_of(SEAL), by="test")

    assert served(harness, 5, jobs=[PREPARE, SEAL]) == [*tenants, SYSTEM_TENANT]


def test_a_task_past_its_time_limit_starts_no_run_of_another_tenant(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    flooded(harness, "flood", "few")
    run_next, now, done = due_work.run_next, [0.0], list[bool]()

    def slow(parts: wiring.Parts, *, others: bool = False, **asked: Any) -> Report | None:
        done.append(others)
        now[0] += parts.settings.soft_limit_seconds
        return run_next(parts, others=others, **asked)

    monkeypatch.setattr(due_work, "run_next", slow)
    monkeypatch.setattr("worker.tasks.parts", lambda _cell="": harness.parts)
    monkeypatch.setattr("worker.tasks.clock", SimpleNamespace(monotonic=lambda: now[0]))

    tasks.TASKS[PREPARE].apply(args=[str(Scope("flood", "user7", "a").id)])

    assert done == [False]
