"""The record of the last whole test run: the requirements that each test covers, and its outcome."""

import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

RECORD = Path(".requirements.json")
PASSED = "passed"


@dataclass(frozen=True, slots=True)
class Tree:
    """The commit of a checkout (None outside a repository), and whether the checkout has uncommitted changes."""

    commit: str | None
    dirty: bool = False

    @classmethod
    def of(cls, checkout: Path) -> Self:
        """Return the state of *checkout*."""
        commit, changes = _git(checkout, "rev-parse", "HEAD"), _git(checkout, "status", "--porcelain")
        return cls(commit, bool(changes))

    def __str__(self) -> str:
        """The commit in words."""
        if self.commit is None:
            return "no commit"
        return self.commit[:12] + (" and uncommitted changes" if self.dirty else "")


@dataclass(frozen=True, slots=True)
class Ended:
    """The ids of the requirements that a test covers, and its outcome: `passed`, `failed` or `skipped`."""

    carries: Sequence[str]
    outcome: str


@dataclass(frozen=True, slots=True)
class WholeRun:
    """One run of every test: the commit that it ran on, and the tests that cover requirements, by pytest id."""

    tree: Tree
    tests: Mapping[str, Ended]

    def outcome(self, statement: str, test: str) -> str:
        """Return the outcome of all cases of *test* that cover *statement*; `not run` if no such case ran."""
        found = {
            ended.outcome
            for name, ended in self.tests.items()
            if statement in ended.carries and (name == test or name.startswith((f"{test}[", f"{test}::")))
        }
        return "not run" if not found else min(found - {PASSED}, default=PASSED)

    def write(self, checkout: Path) -> None:
        """Write the record to *checkout*. The record replaces the previous record."""
        (checkout / RECORD).write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, checkout: Path) -> Self | None:
        """Return the record in *checkout*, or None without a record."""
        if not (checkout / RECORD).is_file():
            return None
        record = json.loads((checkout / RECORD).read_text(encoding="utf-8"))
        return cls(Tree(**record["tree"]), {name: Ended(**ended) for name, ended in record["tests"].items()})


def _git(checkout: Path, *arguments: str) -> str | None:
    """Return git's output, or None if git is missing or *checkout* is not a repository."""
    try:
        done = subprocess.run(["git", "-C", checkout, *arguments], capture_output=True, text=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()
