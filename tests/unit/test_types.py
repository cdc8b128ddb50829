"""Errors that a type checker reports to a user."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.scripts import script

pytestmark = pytest.mark.accept

RIGHT = script(__file__, "right_types.txt")
SLIPS = script(__file__, "wrong_types.txt")


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
