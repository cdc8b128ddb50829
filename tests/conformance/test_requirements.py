"""Every statement of the source documents is listed once, and those that are due are carried by a test."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli, coverage
from slowwave.errors import NotFound

LISTED = """
S9:
  document: "A planted document"
  statements:
    S9.1: {background: true, says: "Once upon a time."}
    S9.2: {due: true, says: "It holds."}
    S9.3: {says: "It holds later."}
"""


def planted(root: Path, test: str, *, folder: str = "tests/conformance") -> coverage.Coverage:
    """What a checkout with one file of tests comes to."""
    (root / "tests" / "conformance").mkdir(parents=True)
    (root / coverage.LIST).write_text(LISTED)
    (root / folder / "test_planted.py").write_text(f"import pytest\n\n{test}\n")
    return coverage.read(root)


def test_every_mark_names_a_statement_of_a_document() -> None:
    found = coverage.read()

    assert found.unknown == []
    assert found.problems == []


def test_everything_that_is_due_is_carried_by_a_test() -> None:
    found = coverage.read()

    assert found.overdue == []
    assert len([one for one in found.statements.values() if one.due]) >= 92


def test_the_list_holds_the_five_documents() -> None:
    found = coverage.read()

    totals = {short: len([s for s in found.statements.values() if s.document == short]) for short in found.documents}
    assert totals == {"S0": 43, "S1": 60, "S2": 87, "S3": 40, "S4": 35}


@pytest.mark.parametrize(
    "test",
    [
        '@pytest.mark.requirement("S9.2")\ndef test_it(): ...',
        '@pytest.mark.requirement("S9.3", "S9.2")\ndef test_it(): ...',
        '@pytest.mark.requirement("S9.2")\nasync def test_it(): ...',
        '@pytest.mark.requirement("S9.2")\nclass TestIt:\n    def test_it(self): ...',
        '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("S9.2"))])\ndef test_it(x): ...',
        'pytestmark = pytest.mark.requirement("S9.2")\ndef test_it(): ...',
        'pytestmark = [pytest.mark.slow, pytest.mark.requirement("S9.2")]\ndef test_it(): ...',
    ],
)
def test_a_mark_is_read_wherever_pytest_reads_it(tmp_path: Path, test: str) -> None:
    found = planted(tmp_path, test)

    assert found.carried["S9.2"][0].startswith("tests/conformance/test_planted.py")
    assert (found.overdue, found.problems, found.unknown) == ([], [], [])


def test_what_is_due_and_carried_by_none_is_told(tmp_path: Path) -> None:
    found = planted(tmp_path, '@pytest.mark.requirement("S9.3")\ndef test_it(): ...')

    assert [one.id for one in found.overdue] == ["S9.2"]
    assert list(found.table()) == [("S9", "A planted document", 1, 2)]
    assert [one.id for one in found.missing("S9")] == ["S9.2"]


def test_an_id_that_no_document_has_is_told(tmp_path: Path) -> None:
    found = planted(tmp_path, '@pytest.mark.requirement("S9.4")\ndef test_it(): ...')

    assert found.unknown == ["S9.4: tests/conformance/test_planted.py::test_it"]


@pytest.mark.parametrize(
    "test",
    [
        '@pytest.mark.requirement("S9.2")\ndef helper(): ...',
        'MARK = pytest.mark.requirement("S9.2")',
        'ID = "S9.2"\n@pytest.mark.requirement(ID)\ndef test_it(): ...',
    ],
)
def test_a_mark_that_carries_nothing_is_told(tmp_path: Path, test: str) -> None:
    found = planted(tmp_path, test)

    assert len(found.problems) == 1
    assert "S9.2" not in found.carried


def test_a_mark_elsewhere_carries_nothing(tmp_path: Path) -> None:
    found = planted(tmp_path, '@pytest.mark.requirement("S9.2")\ndef test_it(): ...', folder="tests")

    assert found.problems == ["tests/test_planted.py::test_it carries S9.2: such tests stand in tests/conformance"]
    assert "S9.2" not in found.carried


def test_where_there_are_no_tests_it_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="not part of the installed library"):
        coverage.read(tmp_path)


def test_the_command_counts_and_lists_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = planted(tmp_path, '@pytest.mark.requirement("S9.3")\ndef test_it(): ...')
    monkeypatch.setattr("slowwave.cli.requirements.read", lambda: found)

    told = CliRunner().invoke(cli, ["requirements", "--missing"])

    assert told.output.splitlines() == ["S9    1 of 2    A planted document", "    S9.2   due  It holds."]


def run(folder: Path, test: str, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of pytest over one planted test, with two workers."""
    (folder / "conftest.py").write_text("from tests.conformance.reporting import *\n")
    (folder / "test_planted.py").write_text(f"import pytest\n\n{test}\n")
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", *options, "."],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (coverage.CHECKOUT / "shared", coverage.CHECKOUT)))},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_run_of_tests_counts_at_its_end_and_tells_what_does_not_hold(tmp_path: Path) -> None:
    done = run(tmp_path, '@pytest.mark.requirement("S2.40")\ndef test_it():\n    assert False', "--requirements")

    assert re.search(r"^S0 +\d+ of 40 ", done.stdout, re.MULTILINE)
    assert re.search(r"^S2 +\d+ of 87 ", done.stdout, re.MULTILINE)
    assert "S2.40 does not hold: test_planted.py::test_it" in done.stdout


def test_a_run_of_tests_refuses_an_unknown_id(tmp_path: Path) -> None:
    done = run(tmp_path, '@pytest.mark.requirement("S2.400")\ndef test_it(): ...')

    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "no document has S2.400" in done.stdout
