"""`slowwave strategies`: the ways of doing things, with their support and the rate that it warrants."""

import json

import pytest

from slowwave import wiring
from slowwave.cli import main
from slowwave.memory import Memory


@pytest.fixture
def command(url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """The command reaches the test's database."""
    monkeypatch.setenv("SLOWWAVE_URL", url)
    monkeypatch.setenv("SLOWWAVE_HOME", str(tmp_path))


def test_strategies_are_listed_with_support_and_bound(
    command: None, parts: wiring.Parts, capsys: pytest.CaptureFixture[str]
) -> None:
    strategies = Memory(parts).scope("alice", agent="concierge", channel="home").strategies
    cook = strategies.learn_strategy("Cook a meal", "the user is hungry", ["recipe", "shop"], "s1", True, task="dinner")
    for number in range(3):
        strategies.reinforce_strategy(cook, number < 2)
    strategies.learn_strategy("Tidy up", "the kitchen is a mess", ["broom"], "s1", False)

    main(["strategies", "--user", "alice"])
    lines = capsys.readouterr().out.splitlines()
    (dinner,) = [line.split() for line in lines if "recipe → shop" in line]
    assert (dinner[0], dinner[4:8]) == ("dinner", ["3", "1", "30%", "learned"])
    assert any("failing" in line for line in lines)

    main(["strategies", "--task", "make dinner", "--json"])
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["strategy"]["id"], found["strategy"]["embedding"]) == (str(cook), None)
    assert 0 < found["strategy"]["score"] < found["strategy"]["similarity"]


def test_an_installation_without_strategies_says_how_they_come_about(
    command: None, parts: wiring.Parts, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["strategies"])

    assert "tool_call and outcome" in capsys.readouterr().out
