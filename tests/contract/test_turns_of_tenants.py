"""Tenants take turns: the flood of one delays the few episodes of another by a window, however much is due before."""

from collections.abc import Sequence

from slowwave.domain.episode import Episode
from slowwave.domain.job_table import PREPARE
from slowwave.domain.scope import Scope
from slowwave.memory import due_work
from slowwave.store.runs import runs
from tests.contract.harness import Harness

FLOOD = 30


def flooded(harness: Harness, *tenants: str) -> None:
    for tenant in tenants:
        for number in range(FLOOD):
            harness.parts.push(Scope(tenant, f"user{number}", "a"), [Episode(content="I like tea", key="k")])
    due_work.fire(harness.parts)


def served(harness: Harness, count: int, **asked: object) -> Sequence[str]:
    """Return the tenants of the next runs."""
    found = []
    for _ in range(count):
        run = harness.parts.runs.claim(owner="ann", scope=None, jobs=[PREPARE], overdue_seconds=0, **asked)  # type: ignore[arg-type]
        if run is not None:
            harness.settle(run)
            found.append(run.tenant)
    return found


def test_a_few_episodes_wait_for_one_window_of_a_flood(harness: Harness) -> None:
    flooded(harness, "flood")
    assert served(harness, 3) == ["flood"] * 3
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])
    vars(harness.parts.runs)["_alone_until"] = 0.0  # the moment of looking no further is over

    assert served(harness, 2) == ["few", "flood"]


def test_two_floods_leave_room_for_a_third_tenant(harness: Harness) -> None:
    flooded(harness, "flood", "other")
    assert served(harness, 4) == ["flood", "other", "flood", "other"]
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])

    assert "few" in served(harness, 3)


def test_who_serves_one_scope_serves_others_in_between(harness: Harness) -> None:
    flooded(harness, "flood")
    first = Scope("flood", "user7", "a")
    run = harness.claim(scope=first, jobs=[PREPARE])
    assert run is not None
    harness.settle(run)

    assert served(harness, 1, others=True) == []
    harness.parts.push(Scope("few", "ann", "a"), [Episode(content="I like tea", key="k")])
    vars(harness.parts.runs)["_alone_until"] = 0.0
    assert served(harness, 1, others=True) == []  # a new round has begun: nobody waits
    assert harness.claim(scope=Scope("flood", "user8", "a"), jobs=[PREPARE]) is not None
    assert served(harness, 1, others=True) == ["few"]


def test_a_process_with_one_tenant_looks_for_others_now_and_then(harness: Harness) -> None:
    flooded(harness, "flood")
    served(harness, 2)

    assert vars(harness.parts.runs)["_alone_until"] > 0.0
    assert runs.ALONE_SECONDS <= 1
