"""The `slowwave` command for tests, on the test's database, and a memory that it may read."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from slowwave.cli import main
from slowwave.domain.scope import Scope
from slowwave.memory import Memory, MemoryScope
from slowwave.wiring import Parts
from tests.integration.steps import Told, work_off

ALICE = Scope("default", "alice", "concierge", "home")
WHOSE = ("--user", ALICE.user, "--agent", ALICE.agent, "--channel", ALICE.channel)


@dataclass(frozen=True)
class Said:
    """The output and status of a command."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Return the output as JSON."""
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def run(url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> Run:
    """Runs a command as `slowwave` does, on the test's database."""
    monkeypatch.setenv("SLOWWAVE_URL", url)
    monkeypatch.setenv("SLOWWAVE_HOME", str(tmp_path))
    monkeypatch.setenv("SLOWWAVE_STATEMENTS", "off")

    def slowwave(*arguments: str) -> Said:
        capfd.readouterr()
        status = 0
        try:
            main(arguments)
        except SystemExit as stop:
            status = int(stop.code or 0)
        out, err = capfd.readouterr()
        return Said(status, out, err)

    return slowwave


@pytest.fixture
def alice(parts: Parts, told: Told) -> Memory:
    """A memory of Alice, who moved, with a correction that is in review."""
    texts = ["I live in Lisbon.", "I moved to Oslo.", "I love jazz and I hate techno.", "No, I meant chess."]
    return work_off(parts, ALICE, told(*texts))


def of_alice(memory: Memory) -> MemoryScope:
    """Return Alice's scope."""
    return memory.scope(ALICE.user, agent=ALICE.agent, channel=ALICE.channel)
