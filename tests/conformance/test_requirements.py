"""Every statement of the source documents is listed once, with a test or a reason."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from slowwave.cli import cli, coverage
from slowwave.cli.coverage import RECORD, Ended, Tree, WholeRun
from slowwave.cli.coverage.marks import LIST, statements
from slowwave.errors import NotFound
from tests.scripts import script

LISTED = """
S9:
  document: "A planted document"
  statements:
    S9.1: {background: true, says: "Once upon a time."}
    S9.2: {says: "It holds."}
    S9.3: {later: work to come, says: "It holds later."}
    S9.4: {lacks: courage, says: "It could hold."}
"""
MARK = '@pytest.mark.requirement("S9.2")\n'
HOLDS = f'{MARK}def test_it():\n    assert len("x") == 1'
NAME = "tests/conformance/test_planted.py::test_it"
WORDS = "2a09529e77c956e6c8217f8c77c5327909f55e44a510fd284d164d8b60fbef3e"
"""The SHA-256 of the documents' statements, which we must not reword."""


def planted(root: Path, test: str = "", *, folder: str = "tests/conformance") -> coverage.Coverage:
    """Return the coverage of a checkout with one file of tests."""
    (root / "tests" / "conformance").mkdir(parents=True, exist_ok=True)
    (root / LIST).write_text(LISTED)
    (root / folder).mkdir(exist_ok=True)
    (root / folder / "test_planted.py").write_text(f"import pytest\n\n{test}\n")
    return coverage.read(root)


def ended(root: Path, outcome: str, *, name: str = NAME, carries: str = "S9.2", commit: str | None = None) -> None:
    """Record a complete run with one test."""
    WholeRun(Tree(commit), {name: Ended([carries], outcome)}).write(root)


# this checkout


def test_each_requirement_has_a_test_or_a_reason() -> None:
    assert coverage.read().problems == []


def test_the_statements_are_unchanged() -> None:
    _, listed = statements(coverage.CHECKOUT)
    every = listed.values()

    assert hashlib.sha256("\n".join(f"{one.id} {one.says}" for one in every).encode()).hexdigest() == WORDS


# statements of tests


@pytest.mark.parametrize(
    "test",
    [
        HOLDS,
        '@pytest.mark.requirement("S9.9", "S9.2")\ndef test_it():\n    assert len("x") == 1',
        '@pytest.mark.requirement("S9.2")\nasync def test_it():\n    assert len("x") == 1',
        '@pytest.mark.requirement("S9.2")\nclass TestIt:\n    def test_it(self):\n        assert len("x") == 1',
        '@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.requirement("S9.2"))])\n'
        "def test_it(x):\n    assert x",
        'pytestmark = pytest.mark.requirement("S9.2")\ndef test_it():\n    assert len("x") == 1',
        'pytestmark = [pytest.mark.slow, pytest.mark.requirement("S9.2")]\ndef test_it():\n    assert len("x") == 1',
        '@pytest.mark.requirement("S9.2")\ndef test_it():\n    with pytest.raises(ValueError):\n        int("x")',
        'def same(a, b):\n    assert a == b\n\n@pytest.mark.requirement("S9.2")\ndef test_it():\n    same(1, 1)',
    ],
)
def test_marks_of_functions_classes_modules_and_parameters_are_read(tmp_path: Path, test: str) -> None:
    found = planted(tmp_path, test)

    assert found.carried["S9.2"][0].startswith("tests/conformance/test_planted.py")
    assert [problem for problem in found.problems if "S9.2" in problem] == []


@pytest.mark.parametrize(
    ("test", "problem"),
    [
        ('@pytest.mark.requirement("S9.2")\ndef test_it(): ...', "asserts nothing"),
        ('@pytest.mark.requirement("S9.2")\ndef test_it():\n    print("S9.2")', "asserts nothing"),
        ('@pytest.mark.requirement("S9.2")\ndef test_it():\n    assert True', "asserts nothing"),
        *(
            (f'@pytest.mark.requirement("S9.2")\ndef test_it():\n    x = 1\n    {said}', "asserts nothing")
            for said in (
                "assert 1 == 1",
                "assert not None",
                "assert x == x",
                "assert (x, 'always')",
                "for each in []:\n        assert each",
            )
        ),
        (
            'from pytest import skip\n\n@pytest.mark.requirement("S9.2")\n'
            'def test_it():\n    assert print\n    skip("x")',
            "may be skipped",
        ),
        (
            'def help_():\n    help_()\n\n@pytest.mark.requirement("S9.2")\ndef test_it():\n    help_()',
            "asserts nothing",
        ),
        ('@pytest.mark.requirement("S9.2")\nclass TestIt:\n    def test_it(self): ...', "asserts nothing"),
        ('pytestmark = pytest.mark.requirement("S9.2")', "asserts nothing"),
        (f"@pytest.mark.skip\n{HOLDS}", "may be skipped"),
        (f'@pytest.mark.skipif(True, reason="")\n{HOLDS}', "may be skipped"),
        (f"@pytest.mark.xfail\n{HOLDS}", "may be skipped"),
        (f"{HOLDS}\n    pytest.skip()", "may be skipped"),
        ('@pytest.mark.requirement("S9.2")\ndef helper(): ...', "is on no test"),
        ('MARK = pytest.mark.requirement("S9.2")', "is on no test"),
        ('ID = "S9.2"\n@pytest.mark.requirement(ID)\ndef test_it():\n    assert ID', "write the id itself"),
    ],
)
def test_a_requirement_mark_on_a_skip_or_an_expected_failure_is_refused(
    tmp_path: Path, test: str, problem: str
) -> None:
    found = planted(tmp_path, test)

    assert [one for one in found.problems if problem in one]
    assert "S9.2" not in found.carried


def test_a_mark_in_the_folder_of_a_document_counts(tmp_path: Path) -> None:
    found = planted(tmp_path, HOLDS, folder="tests/conformance/s9_example")

    assert list(found.carried) == ["S9.2"]
    assert not [one for one in found.problems if "such tests stand in" in one]


def test_a_mark_outside_the_conformance_folder_is_refused(tmp_path: Path) -> None:
    found = planted(tmp_path, HOLDS, folder="tests")

    assert "tests/test_planted.py::test_it carries S9.2: such tests stand in tests/conformance" in found.problems
    assert "S9.2" not in found.carried


@pytest.mark.parametrize(
    ("carried", "problems"),
    [
        ("S9.2", []),
        ("S9.1", ["S9.1 is carried by a test, and the list says that it is background"]),
        ("S9.3", ["S9.3 is carried by a test, and the list says that it is left to work to come"]),
        ("S9.4", ["S9.4 is carried by a test, and the list says that it lacks courage"]),
        ("S9.5", [f"{NAME} carries S9.5, which no document has"]),
    ],
)
def test_each_requirement_has_either_a_test_or_an_excuse(tmp_path: Path, carried: str, problems: list[str]) -> None:
    found = planted(tmp_path, HOLDS.replace("S9.2", carried))

    unproven = ["S9.2 is due: let a test carry it, or say in the list what it lacks"] if carried != "S9.2" else []
    assert found.problems == problems + unproven


# results of a run


@pytest.mark.parametrize(
    ("outcome", "said"), [("failed", "failed"), ("skipped", "was skipped"), (None, "did not run"), ("passed", None)]
)
def test_a_requirement_whose_test_did_not_pass_is_not_covered(
    tmp_path: Path, outcome: str | None, said: str | None
) -> None:
    ended(tmp_path, outcome or "passed", carries="S9.2" if outcome else "S9.9")

    found = planted(tmp_path, HOLDS)

    assert found.failures == ([f"S9.2 is claimed by {NAME}, which {said} in the last whole run"] if said else [])
    assert [one.id for one in found.open] == (["S9.2", "S9.4"] if said else ["S9.4"])
    assert list(found.table()) == [coverage.Count("S9", "A planted document", 0 if said else 1, 2, 3)]


def test_a_requirement_needs_each_case_of_its_test_to_pass(tmp_path: Path) -> None:
    cases = {f"{NAME}[{case}]": Ended(["S9.2"], case) for case in ("passed", "failed")}
    WholeRun(Tree(None), cases | {f"{NAME}_too": Ended(["S9.2"], "skipped")}).write(tmp_path)

    assert [sentence.split(", ")[1] for sentence in planted(tmp_path, HOLDS).failures] == [
        "which failed in the last whole run"
    ]


def command(found: coverage.Coverage, monkeypatch: pytest.MonkeyPatch, *options: str) -> tuple[int, str, str]:
    monkeypatch.setattr("slowwave.cli.requirements.read", lambda: found)
    told = CliRunner().invoke(cli, ["requirements", *options])
    return told.exit_code, told.stdout, told.stderr


def test_the_requirements_command_prints_counts_and_open_items_and_the_commit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ended(tmp_path, "passed", commit="c0ffee" * 8)
    code, out, err = command(planted(tmp_path, HOLDS), monkeypatch)

    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "    covered   due  total",
        "S9        1     2      3  A planted document",
        "all       1     2      3",
        "",
        "Due but not covered:",
        "    S9.4   It could hold. Lacks: courage.",
        "",
        "From the whole run of the tests on c0ffeec0ffee.",
        "The checkout is now no commit: run `make test` to count it.",
    ]
    assert "S9.3   work to come: It holds later." in command(planted(tmp_path, HOLDS), monkeypatch, "--later")[1]


@pytest.mark.parametrize(
    ("outcome", "test", "said"),
    [
        ("failed", HOLDS, "which failed"),
        ("passed", HOLDS.replace('assert len("x") == 1', "..."), "asserts nothing"),
        (None, HOLDS, "there is no record of a whole test run"),
    ],
)
def test_the_requirements_command_fails_for_an_uncovered_requirement(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, outcome: str | None, test: str, said: str
) -> None:
    if outcome:
        ended(tmp_path, outcome)
    code, out, err = command(planted(tmp_path, test), monkeypatch)

    assert code == 1
    assert said in err
    assert "S9        0     2      3" in out
    assert json.loads(command(planted(tmp_path, test), monkeypatch, "--json")[1])["open"] == ["S9.2", "S9.4"]


def test_a_missing_test_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="not part of the installed library"):
        coverage.read(tmp_path)


# behaviour of pytest


PLANTED = script(__file__, "planted_tests.txt")


IMPORTED = [str(coverage.CHECKOUT / "shared"), str(coverage.CHECKOUT)]


def run(folder: Path, *options: str) -> str:
    """Run pytest in a checkout of the planted tests; return what it says."""
    (folder / "proofs").mkdir()
    (folder / "proofs" / "conftest.py").write_text("from tests.conformance.reporting import *\n")
    (folder / "proofs" / "test_planted.py").write_text(PLANTED)
    (folder / "pytest.ini").write_text(
        "[pytest]\ntestpaths = proofs\naddopts = -ra --strict-markers --import-mode=importlib -m 'not slow'\n"
        "markers =\n  requirement(id)\n  slow\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "xdist", *options],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(IMPORTED), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED), done.stdout + done.stderr
    return done.stdout


def test_a_whole_run_fails_invalid_marks_and_writes_its_record(tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example.org"]
    for arguments in (["init", "--quiet"], ["commit", "--quiet", "--allow-empty", "--message", "begun"]):
        subprocess.run([*git, *arguments], check=True)
    said = run(tmp_path, "-n", "2")

    assert "no document has S2.400" in said
    assert said.count("a test that carries S2.41 is neither skipped nor expected to fail") >= 3
    record = WholeRun.read(tmp_path)
    assert record is not None
    assert {name.partition("::")[2]: one.outcome for name, one in record.tests.items()} == {
        "test_it[1]": "passed", "test_it[2]": "failed", "test_unknown": "failed", "test_skipped": "failed",
        "test_skipping": "failed", "test_expected": "failed", "test_broken_afterwards": "failed",
    }  # fmt: skip
    assert record.outcome("S2.40", "proofs/test_planted.py::test_it") == "failed"
    assert record.tree == Tree(Tree.of(tmp_path).commit, dirty=True)
    assert len(record.tree.commit or "") == 40


@pytest.mark.parametrize(
    "options",
    [["-k", "it"], ["-m", "requirement"], ["proofs/test_planted.py"], ["-x"], ["-o", "python_functions=test_it"]],
)
def test_a_partial_run_writes_no_record(tmp_path: Path, options: list[str]) -> None:
    said = run(tmp_path, *options)

    assert "test_it[2]" in said
    assert not (tmp_path / RECORD).exists()
