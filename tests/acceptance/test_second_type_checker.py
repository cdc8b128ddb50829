"""Pyright, the type checker of many editors, accepts correct use of the library and refuses wrong use."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit.test_types import RIGHT, SLIPS

pytestmark = pytest.mark.accept


def lines_refused(text: str, folder: Path) -> list[int]:
    """Return the lines in which Pyright's strict mode sees an error."""
    (folder / "agent.py").write_text(text)
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict", "include": ["agent.py"]}))
    program = Path(sys.executable).with_name("basedpyright")
    said = subprocess.run(
        [program, "--project", folder, "--pythonpath", sys.executable, "--outputjson"],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert said.returncode in (0, 1), said.stdout + said.stderr
    report = json.loads(said.stdout)
    assert report["summary"]["filesAnalyzed"] == 1
    found = report["generalDiagnostics"]
    return sorted({each["range"]["start"]["line"] + 1 for each in found if each["severity"] == "error"})


def test_correct_code_passes_the_second_type_checker(tmp_path: Path) -> None:
    assert lines_refused(RIGHT, tmp_path) == []


def test_each_type_error_is_reported_by_the_second_type_checker(tmp_path: Path) -> None:
    assert lines_refused(SLIPS, tmp_path) == [*range(5, 15), *range(16, 22)]
