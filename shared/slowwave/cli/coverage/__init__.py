"""Coverage of the source documents: the requirements whose tests all passed in the last whole run."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from slowwave.cli.coverage.marks import Statement, marks, statements
from slowwave.cli.coverage.record import PASSED, Tree, WholeRun

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
