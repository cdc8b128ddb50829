"""Immediate decay and sweeps: a tier above its capacity triggers the sweep, and a person starts both by hand."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.domain.job_table import SWEEP
from slowwave.domain.scope import Scope
from slowwave.memory import MemoryScope
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, chosen, column, crowd, later
from tests.contract.memory_state.test_sweep import likes


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


def test_the_decay_command_prints_the_number_of_faded_memories(
    harness: Harness, scope: Scope, typed: CliRunner
) -> None:
    harness.told(scope, 2)
    harness.drain()
    fact = harness.value("SELECT memory FROM standing WHERE scope = %s AND kind = 'semantic' LIMIT 1", scope.id)
    changed(harness, fact, source="inferred", base=0.7)
    later(harness, days=80)

    said = json.loads(typed.invoke(cli, ["decay", "--all", "--json"], catch_exceptions=False).output)

    assert said["all"] == {"looked": 5, "refreshed": 4}  # a stated fact never decays
    assert (said["due"]["fell"], said["due"]["withdrawn"]) == (1, 1)
    assert typed.invoke(cli, ["decay"]).output == "due   nothing\n"
