"""Coverage of the source documents: the requirements whose tests all passed in the last whole run."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Self

from slowwave.cli.coverage.marks import Statement, marks, statements

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


CHECKOUT = Path(__file__).resolve().parents[4]
_ENDED = {"failed": "failed", "skipped": "was skipped", "not run": "did not run"}


@dataclass(frozen=True, slots=True)
class Count:
    """The counts of a document's requirements: covered requirements, due requirements, and all requirements that need
    code.
    """

    document: str
    name: str
    covered: int
    due: int
    total: int


@dataclass(frozen=True)
class Coverage:
    """The documents by short name, their requirements by id, the tests of each requirement, and the last whole run.

    *refused* has a sentence for each invalid mark. *head* is the current state of the checkout.
    """

    documents: Mapping[str, str]
    statements: Mapping[str, Statement]
    carried: Mapping[str, Sequence[str]]
    refused: Sequence[str]
    run: WholeRun | None
    head: Tree

    def holds(self, id_: str) -> bool:
        """Return whether a requirement has at least one test, and all its tests passed in the last whole run."""
        return id_ in self.carried and id_ not in self._broken and self.run is not None

    @cached_property
    def open(self) -> list[Statement]:
        """The requirements that are due and not covered."""
        return [one for one in self.statements.values() if one.due and not self.holds(one.id)]

    def later(self, document: str) -> list[Statement]:
        """Return the requirements of a document that are planned for later work."""
        return [one for one in self.statements.values() if one.document == document and one.later]

    def table(self) -> Iterator[Count]:
        """Yield the counts of each document's requirements."""
        for document, name in self.documents.items():
            listed = [one for one in self.statements.values() if one.document == document and not one.background]
            due = [one for one in listed if one.due]
            yield Count(document, name, sum(self.holds(one.id) for one in due), len(due), len(listed))

    @cached_property
    def problems(self) -> list[str]:
        """One sentence per problem: an invalid or unknown mark, a requirement with neither a test nor an excuse, or a
        requirement with both.
        """
        unknown = [id_ for id_ in self.carried if id_ not in self.statements]
        return [
            *self.refused,
            *(f"{', '.join(self.carried[id_])} carries {id_}, which no document has" for id_ in unknown),
            *(
                f"{one.id} is carried by a test, and the list says that it {one.excused}"
                for one in self.statements.values()
                if one.id in self.carried and one.excused
            ),
            *(
                f"{one.id} is due: let a test carry it, or say in the list what it lacks"
                for one in self.statements.values()
                if one.id not in self.carried and not one.excused
            ),
        ]

    @cached_property
    def failures(self) -> list[str]:
        """One sentence per test that did not pass in the last whole run; empty if there was no run."""
        return [sentence for sentences in self._broken.values() for sentence in sentences]

    @cached_property
    def _broken(self) -> dict[str, list[str]]:
        if self.run is None:
            return {}
        sentences_of = {
            id_: [
                f"{id_} is claimed by {test}, which {_ENDED[outcome]} in the last whole run"
                for test in tests
                if (outcome := self.run.outcome(id_, test)) != PASSED
            ]
            for id_, tests in self.carried.items()
        }
        return {id_: sentences for id_, sentences in sentences_of.items() if sentences}


def read(checkout: Path = CHECKOUT) -> Coverage:
    """Return the coverage of *checkout*. Raises `NotFound` if there are no tests, as in a wheel."""
    documents, listed = statements(checkout)
    found = marks(checkout)
    return Coverage(documents, listed, found.carried, found.problems, WholeRun.read(checkout), Tree.of(checkout))
