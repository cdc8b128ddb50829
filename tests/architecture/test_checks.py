"""Each check of `make check` fails on a planted mistake."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.trees import PACKAGES, ROOT, plant, run

CHECKS = [["ruff", "format", "--check"], ["ruff", "check"], ["mypy"], ["lint-imports", "--no-logo"]]
MISTAKES = {
    "the host's clock": ("TID251", "from datetime import UTC, datetime\n\nNOW = datetime.now(UTC)"),
    "a time without a zone": ("DTZ003", "from datetime import datetime\n\nNOW = datetime.utcnow()"),
    "shared as a package": ("TID251", "import shared.slowwave"),
    "from shared": ("TID251", "from shared.slowwave import errors"),
    "any exception": ("BLE001", "try:\n    pass\nexcept Exception:\n    print()"),
    "every exception": ("E722", "try:\n    pass\nexcept:\n    print()"),
    "composed SQL": (
        "S608",
        'def find(name: str) -> str:\n    return "SELECT * FROM facts WHERE subject = \'" + name + "\'"',
    ),
    "an unused import": ("F401", "import json"),
    "an unused argument": ("ARG001", "def ask(question: str) -> int:\n    return 1"),
}


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A tree with our configuration and next to no code."""
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    plant(tmp_path, {f"{folder}/__init__.py": '"""A package."""' for folder in PACKAGES.values()})
    return tmp_path


def found(tree: Path, *files: str) -> set[str]:
    """Return the rules that ruff finds broken."""
    result = run(tree, "ruff", "check", "--no-cache", "--output-format", "json", *files)
    return {each["code"] for each in json.loads(result.stdout)}


@pytest.mark.parametrize("folder", PACKAGES.values())
@pytest.mark.parametrize(("rule", "text"), MISTAKES.values(), ids=MISTAKES)
def test_lint_finds_a_planted_mistake(small: Path, folder: str, rule: str, text: str) -> None:
    plant(small, {f"{folder}/planted.py": text})

    assert rule in found(small)


def test_lint_lets_only_clock_read_the_hosts_clock(small: Path) -> None:
    _, text = MISTAKES["the host's clock"]
    plant(small, {"shared/slowwave/runtime/clock.py": text, "shared/slowwave/core/clock.py": text})

    assert "TID251" not in found(small, "shared/slowwave/runtime/clock.py")
    assert "TID251" in found(small, "shared/slowwave/core/clock.py")


def test_lint_accepts_correct_code(small: Path) -> None:
    plant(small, {"shared/slowwave/fine.py": '"""Fine."""\n\nONE = 1'})

    assert found(small, "shared/slowwave/fine.py") <= {"W391"}


def test_types_are_checked_strictly_in_every_package_and_in_tests(small: Path) -> None:
    folders = [*PACKAGES.values(), "tests/unit"]
    for folder in folders:
        plant(small, {f"{folder}/planted.py": "def untyped(a):\n    return a\n\n\nNUMBER: int = 'seven'"})
        plant(small, {f"{folder}/fine.py": "def typed(a: int) -> int:\n    return a"})

    said = run(small, "mypy", "--cache-dir", str(small / "cache")).stdout

    for folder in folders:
        assert re.search(rf"^{folder}/planted\.py:2: error: .*\[no-untyped-def\]$", said, re.MULTILINE)
        assert re.search(rf"^{folder}/planted\.py:6: error: .*\[assignment\]$", said, re.MULTILINE)
    assert f"Found {2 * len(folders)} errors in {len(folders)} files" in said


def test_formatting_is_checked(small: Path) -> None:
    plant(small, {"worker/planted.py": "x = {  'a':1 }"})

    result = run(small, "ruff", "format", "--check", "--no-cache")

    assert result.returncode == 1
    assert "worker/planted.py" in result.stdout + result.stderr


def test_the_lint_check_refuses_sql_with_a_wrong_layout(small: Path) -> None:
    plant(small, {"shared/slowwave/store/planted.sql": "select a,b\nfrom facts\n"})
    (small / ".sqruff").write_text((ROOT / ".sqruff").read_text())

    result = run(small, "sqruff", "lint", "shared/slowwave/store/planted.sql")

    assert result.returncode == 1
    assert "LT01" in result.stdout + result.stderr


def test_make_test_runs_each_check_and_each_test_and_the_requirements() -> None:
    plan = made("-n", "--old-file=.venv/.installed", "test")
    lines = [line.removeprefix(".venv/bin/") for line in plan.splitlines() if line.startswith(".venv/bin/")]

    checks = [line for line in lines[:-2] if not line.startswith(("python -m pip", "sqruff lint"))]
    assert checks[-len(CHECKS) :] == [" ".join(check) for check in CHECKS]
    assert [line.split()[:2] for line in lines if line.startswith("sqruff")] == [["sqruff", "lint"]]
    assert lines[-2:] == ["python -m pytest -n 2 --dist worksteal", "slowwave requirements"]


def test_make_accept_runs_the_tests_that_make_test_excludes() -> None:
    lines = [line for line in made("-n", "--old-file=.venv/.installed", "accept").splitlines() if "pytest" in line]

    assert [line.partition(" -m pytest ")[2] for line in lines] == [
        '-n 2 --dist worksteal -m "accept and not soak" --durations=5'
    ]


def made(*arguments: str) -> str:
    """Return what make says it would do."""
    return subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout
