"""`slowwave demo` as a stranger runs it: real services, a real Celery worker, and what is printed in the morning."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from slowwave.cli.demo.sample import demo_home
from slowwave.cli.demo.story import _timed_out, wait
from slowwave.errors import Unavailable
from tests.faults.rig.processes import plain_environment, python
from tests.folders import open_folder

pytestmark = pytest.mark.accept

ROOT = Path(__file__).parents[2]
SHOWN = (ROOT / "README.md", ROOT / "ops" / "docs" / "tutorials" / "demo.md")
"""The pages that show output of the demo, each in a block of text."""
DEADLINE_SECONDS = 280
"""Generous: two whole installations come up and go down on a machine that has other things to do."""
CHANGED = (
    ("Nora works at Fjordlys", "Tue 7 Oct", "Nora works at Maré Studio"),
    ("Nora lives in Bergen", "Thu 9 Oct", "Nora lives in Lisbon"),
    ("Nora is going to visit the aquarium on 11 October 2025", "Sat 11 Oct", "Nora went to the aquarium on 11 October"),
    ("Nora has been vegetarian since March 2025", "Sat 11 Oct", "Nora is not vegetarian anymore"),
    ("Nora has a dentist appointment on 14 October 2025", "Sat 11 Oct", "Nora has a dentist appointment on 16 October"),
)
"""A change of job and home, a fulfilled plan, a changed diet and a moved appointment: old fact, its end, new fact."""


@pytest.fixture
def home() -> Iterator[Path]:
    """A home that the accounts of the embedded services may enter."""
    with open_folder("demo") as folder:
        yield folder / "demo"


def demo(home: Path, *options: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        python("slowwave.cli", "demo", "--home", str(home), *options),
        env=plain_environment(**variables),
        capture_output=True,
        text=True,
        timeout=DEADLINE_SECONDS,
        check=False,
    )


def digest(out: str) -> str:
    found = re.search(r"Digest of everything believed: ([0-9a-f]{16})", out)
    assert found, out
    return found[1]


def lines(report: str) -> set[str]:
    """Return the lines of a report, without blanks that only align them and without what a machine's speed decides."""
    return {re.sub(r"[0-9.]+ s\b", "… s", " ".join(line.split())) for line in report.splitlines()}


def left_running(home: Path) -> list[str]:
    """Return the command lines of processes that still work for *home*."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            environment = (entry / "environ").read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if str(home) in command or f"SLOWWAVE_HOME={home}" in environment:
            found.append(command)
    return found


@pytest.mark.timeout(2 * DEADLINE_SECONDS + 20)
def test_the_demo_runs_one_night_and_a_second_night_changes_nothing(home: Path) -> None:
    first = demo(home)

    assert first.returncode == 0, first.stdout + first.stderr
    out = first.stdout
    assert re.search(r"^194 episodes are stored in 6 scopes\.$", out, re.MULTILINE)
    for ended, day, believed in CHANGED:
        assert re.search(rf"^{ended} +until {day}$", out, re.MULTILINE), ended
        assert re.search(rf"^→ {believed}", out, re.MULTILINE), believed
    changed = out[out.index("What changed for Nora") : out.index("194 episodes are stored")]
    assert all(len(line) <= 80 for line in changed.splitlines())
    for words in ("“I work at Fjordlys”", "“I got a job at Maré Studio”", "“I've been vegetarian since March”"):
        assert words in changed
    assert re.search(
        r"^\d+ deltas: \d+ add, \d+ update, \d+ delete, \d+ noop \(\d+ of them tonight\)", out, re.MULTILINE
    )
    assert "1 conflict" in out
    assert re.search(r"Nora lives in Lisbon +0\.95 +2025-10-09 +thu-arrival-01 +[0-9a-f]{8}", out)
    assert re.search(r"^  known before the night: Nora lives in Lisbon\n- A night passes", out, re.MULTILINE)
    assert "? Where does Nora live now?" in out
    assert re.search(r"^  1\. Nora lives in Lisbon \[fact, ", out, re.MULTILINE)
    assert "? Which bread does Tomasz like best?" in out
    assert re.search(r"^  1\. Tomasz's favourite bread is spelt \[fact, ", out, re.MULTILINE)
    assert out.count("because of ") == 6
    assert "»I moved to Lisbon today«!" in out
    assert "replaces: Nora lives in Bergen" in out
    assert "Not decided: “No, I meant cashews.”" in out
    for stage in ("Starting Postgres", "An agent with the library", "only the broker", "A night passes", "together"):
        assert re.search(rf"{stage}.* [0-9.]+ s", out), stage
    for page in SHOWN:
        transcript, *_ = re.findall(r"```text\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        assert {line for line in lines(transcript) if re.search(r"\w", line)} - lines(out) == set(), page
    assert "\x1b[" not in out  # output to a file is plain text
    assert left_running(home) == []
    assert re.search(r"Task slowwave\.ingest.*succeeded", (home / "logs" / "worker.log").read_text())
    assert re.search(r"Task slowwave\.consolidate.*succeeded", (home / "logs" / "worker.log").read_text())

    second = demo(home)

    assert second.returncode == 0, second.stdout + second.stderr
    assert "194 episodes are stored in 6 scopes, all of them known already." in second.stdout
    assert "nothing new tonight, and nothing counted twice" in second.stdout
    assert f"To see the first night: remove {home}, then run it again." in second.stdout
    assert "To see the first" not in out
    assert digest(second.stdout) == digest(out)


def test_each_checkout_has_its_own_demo_home_and_resets_only_that(tmp_path: Path) -> None:
    home = tmp_path / "slowwave"
    here, there = demo_home(home), demo_home(home, Path("/elsewhere/slowwave"))
    assert here != there
    for folder in (home, here, there):
        (folder / "postgres").mkdir(parents=True)
        (folder / "postgres" / "kept").touch()

    done = subprocess.run(
        [sys.executable, "-m", "slowwave.cli", "demo", "--forget"],
        env={**os.environ, "SLOWWAVE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout == f"removed {here}\n"
    assert not here.exists()
    assert all((folder / "postgres" / "kept").exists() for folder in (home, there))


def test_a_demo_that_cannot_start_prints_one_sentence_and_exits_with_1(tmp_path: Path) -> None:
    taken = tmp_path / "home"
    taken.write_text("a file where the home should be")

    done = demo(taken)

    assert done.returncode == 1
    assert "hint: " in done.stderr
    assert "Traceback" not in done.stderr


def test_a_demo_that_takes_too_long_raises_one_sentence() -> None:
    with pytest.raises(Unavailable, match="has not read everything within 120 seconds") as late:
        wait(lambda: False, timeout_seconds=0, otherwise=lambda: _timed_out("read everything"))
    assert "run it again: what is stored stays stored" in str(late.value)
