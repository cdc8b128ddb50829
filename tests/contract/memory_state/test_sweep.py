"""Tier moves in a database, one tier per run; a tier above its capacity triggers the sweep, as a person can by hand."""

import json
import uuid
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.domain.episode import Episode
from slowwave.domain.job_table import SWEEP
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope, due_work
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, chosen, column, crowd, later, now, put, run

HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def steps(harness: Harness) -> list[tuple[str, str]]:
    """Return every tier move, in order."""
    return [(one, other) for one, other in harness.rows("SELECT from_tier, to_tier FROM tier_moves ORDER BY move")]


def likes(harness: Harness, scope: Scope, *foods: str) -> list[uuid.UUID]:
    """Return the facts of *scope* that somebody likes these, in order."""
    start = harness.value("SELECT coalesce(max(head), 0) FROM scope_heads WHERE scope = %s", scope.id)
    harness.parts.push(scope, [Episode(content=f"I like {food}", key=f"{start}/{food}") for food in foods])
    due_work.fire(harness.parts, scope.id)
    while due_work.run_next(harness.parts, owner="day", scope=scope.id):
        pass
    return [
        harness.value("SELECT fact FROM facts WHERE scope = %s AND object = %s AND upper_inf(recorded)", scope.id, food)
        for food in foods
    ]


def test_a_memory_falls_one_tier_per_run(harness: Harness, scope: Scope) -> None:
    chosen(harness, "grampus_f3")
    memory = put(harness, scope, tier="hot", created=now(harness) - 30 * DAY, sweep_due=now(harness))

    run(harness, SWEEP)
    assert column(harness, memory, "tier") == "warm"
    run(harness, SWEEP)
    assert column(harness, memory, "tier") == "cold"
    assert column(harness, memory, "sweep_due") is None
    assert run(harness, SWEEP) == {}
    assert steps(harness) == [("hot", "warm"), ("warm", "cold")]


def test_a_pinned_memory_is_neither_moved_nor_evicted(harness: Harness, scope: Scope) -> None:
    chosen(harness, "aragora_hope")
    pinned = put(
        harness, scope, tier="glacial", base=0.01, pinned=True, created=now(harness) - 90 * DAY, sweep_due=now(harness)
    )
    for _ in range(101):
        put(harness, scope, tier="glacial", base=0.9, sweep_due=now(harness))

    counts = run(harness, SWEEP)

    assert counts["evicted"] == 12
    assert column(harness, pinned, "tier") == "glacial"


def test_a_full_tier_waits_while_a_worker_holds_the_scope(harness: Harness, scope: Scope) -> None:
    chosen(harness, "aragora_hope")
    (fact,) = likes(harness, scope, "figs")
    changed(harness, fact, base=0.35, sweep_due=now(harness))
    for _ in range(205):
        put(harness, scope, tier="slow", base=0.4, sweep_due=now(harness))
    harness.told(scope, 1)
    held = harness.claimed("ann", scope=scope)

    assert run(harness, SWEEP)["left"] == 1
    assert column(harness, fact, "tier") == "slow"
    harness.parts.runs.give_back(held, "unavailable", wait_seconds=600, error="later")
    assert run(harness, SWEEP)["evicted"] == 26
    assert column(harness, fact, "tier") == "glacial"


def test_a_memory_under_legal_hold_does_not_change_tier(harness: Harness, scope: Scope) -> None:
    chosen(harness, "grampus_f3")
    memory = put(harness, scope, tier="hot", created=now(harness) - DAY, sweep_due=now(harness))
    harness.rows("INSERT INTO legal_holds (tenant, scope, reason) VALUES (%s, NULL, 'a lawsuit')", scope.tenant)

    run(harness, SWEEP)
    assert column(harness, memory, "tier") == "hot"

    harness.rows("UPDATE legal_holds SET released = slowwave_now()")
    run(harness, SWEEP)
    assert column(harness, memory, "tier") == "warm"


def test_a_memory_on_a_removed_tier_moves_to_the_entry_tier(harness: Harness, scope: Scope) -> None:
    memory = put(harness, scope, tier="glacial", sweep_due=now(harness))

    run(harness, SWEEP)

    assert column(harness, memory, "tier") == "cold"


def waiting(harness: Harness) -> int:
    return int(harness.value("SELECT count(*) FROM intents WHERE job = %s AND hastened", SWEEP))


def test_a_fact_above_capacity_requests_one_sweep(harness: Harness, scope: Scope) -> None:
    chosen(harness, "aragora_hope")
    crowd(harness, scope, "slow", 198, base=0.9)
    likes(harness, scope, "rice")
    assert waiting(harness) == 0

    likes(harness, scope, "figs", "kale")
    assert waiting(harness) == 1
    assert harness.rows("SELECT scope FROM firings WHERE schedule = 'sweep/capacity'") == [(scope.id,)]
    likes(harness, scope, "mint")
    assert harness.value("SELECT count(*) FROM firings WHERE schedule = 'sweep/capacity'") == 1

    assert harness.drain()["ok"] >= 1
    assert harness.value("SELECT count(*) FROM standing WHERE scope = %s AND tier = 'slow'", scope.id) <= 200


def test_a_memory_that_rises_into_a_full_tier_requests_a_sweep(harness: Harness, scope: Scope) -> None:
    chosen(harness, "aragora_hope")
    (fact,) = likes(harness, scope, "rice")
    crowd(harness, scope, "medium", 500, base=0.9)
    for _ in range(3):
        MemoryScope(harness.parts, scope).recall("do I like rice?", limit=5)
    harness.parts.accesses.flush()

    assert column(harness, fact, "tier") == "medium"
    assert waiting(harness) == 1


def test_tiers_without_capacities_request_no_sweep(harness: Harness, scope: Scope) -> None:
    likes(harness, scope, *(f"dish{number}" for number in range(30)))
    assert harness.value("SELECT count(*) FROM firings WHERE schedule = 'sweep/capacity'") == 0


@pytest.fixture
def typed(harness: Harness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    """Run a command on the harness's database."""
    monkeypatch.setenv("SLOWWAVE_URL", harness.parts.url)
    monkeypatch.setenv("SLOWWAVE_HOME", str(tmp_path))
    monkeypatch.delenv("SLOWWAVE_BROKER_URL", raising=False)
    return CliRunner()


def test_the_decay_command_prints_how_many_memories_faded(harness: Harness, scope: Scope, typed: CliRunner) -> None:
    harness.told(scope, 2)
    harness.drain()
    fact = harness.value("SELECT memory FROM standing WHERE scope = %s AND kind = 'semantic' LIMIT 1", scope.id)
    changed(harness, fact, source="inferred", base=0.7)
    later(harness, days=80)

    said = json.loads(typed.invoke(cli, ["decay", "--all", "--json"], catch_exceptions=False).output)

    assert said["all"] == {"looked": 5, "refreshed": 4}  # a stated fact never decays
    assert (said["due"]["fell"], said["due"]["withdrawn"]) == (1, 1)
    assert typed.invoke(cli, ["decay"]).output == "due   nothing\n"
