"""Errors that a type checker reports to a user."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.accept

RIGHT = """
from slowwave import AsyncMemory, Episode, Memory, QueueScope

def told(memory: Memory, queued: QueueScope) -> None:
    scope = memory.scope("alice", agent="concierge")
    scope.push("hi", role="user", session="s1", speaker="Alice")
    scope.stream.record("hi", kind="message")
    queued.push("hi", key="k")
    Episode(content="hi", role="assistant", metadata={"a": 1})
    Memory.connect("postgresql://host/db", tenant="acme", worker_processes=2)

async def awaited(memory: AsyncMemory) -> None:
    scope = memory.scope("alice", agent="concierge")
    assert (await scope.push("hi", role="user", session="s1")).state == "stored"
    assert [one.text for one in await scope.recall("hi", limit=5)]
    await memory.hold(scope, "a lawsuit")
    await (await scope.working("s1")).add_turn("hi")
    async for delta in memory.follow(kind="add"):
        assert delta.id
    async with AsyncMemory.connect(tenant="acme") as other:
        await other.scope("alice").goals.add("find a flat")
"""
SLIPS = """
from slowwave import AsyncMemory, Episode, Memory, QueueScope

def told(memory: Memory, queued: QueueScope) -> None:
    scope = memory.scope("alice", agnt="concierge")
    scope.push("hi", rolle="user")
    scope.push("hi", role="alien")
    scope.stream.record("hi", knd="message")
    queued.push("hi", kee="k")
    Episode(content="hi", rol="assistant")
    Episode(content=None)
    Memory.connect(tennant="acme")
    Memory.connect(worker_processes="two")
    scope.recall("hi", limit="5")
async def awaited(memory: AsyncMemory) -> None:
    await memory.scope("alice").push("hi", rolle="user")
    await memory.scope("alice").recall("hi", limit="5")
    len(memory.scope("alice").facts())
    await memory.scope("alice").graph.find(knd="person")
    await AsyncMemory.connect(tennant="acme")
    [one for one in memory.follow()]
"""


def lines_refused(text: str, folder: Path) -> list[int]:
    """Return the lines with an error of mypy --strict, as a user runs it."""
    (folder / "agent.py").write_text(text)
    (folder / "mypy.ini").write_text("[mypy]\nstrict = true\nfollow_imports = silent\n")
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "agent.py"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode in (0, 1), said.stdout + said.stderr
    return sorted(
        {
            int(line.split(":")[1])
            for line in said.stdout.splitlines()
            if line.startswith("agent.py:") and ": error:" in line
        }
    )


def test_correct_code_passes_the_type_checker(tmp_path: Path) -> None:
    assert lines_refused(RIGHT, tmp_path) == []


def test_each_type_error_is_reported(tmp_path: Path) -> None:
    assert lines_refused(SLIPS, tmp_path) == [*range(5, 15), *range(16, 22)]
