"""Decay and sweep by hand: the same jobs, at once, and what they came to in words."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli
from slowwave.domain.scope import Scope
from tests.contract.harness import Harness
from tests.contract.memory_state.harness import changed, column, later, now, put


@pytest.fixture
def typed(harness: Harness, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> CliRunner:
    """A command line on the harness's database."""
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

    assert said["all"] == {"looked": 5, "refreshed": 4}  # of five a stated fact is never due
    assert (said["due"]["fell"], said["due"]["withdrawn"]) == (1, 1)
    assert typed.invoke(cli, ["decay"]).output == "due   nothing\n"


def test_the_sweep_command_prints_the_number_of_moved_memories(
    harness: Harness, scope: Scope, typed: CliRunner
) -> None:
    memory = put(harness, scope, tier="hot", sweep_due=now(harness))
    later(harness, days=2)

    said = typed.invoke(cli, ["sweep"], catch_exceptions=False).output

    assert "1 lowered" in said
    assert column(harness, memory, "tier") == "warm"
    assert typed.invoke(cli, ["sweep"]).output == "nothing is due\n"
