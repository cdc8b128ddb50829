"""Which statements of the source documents are carried by a test: read from the tests' text, without running them."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeGuard

import yaml

from slowwave.errors import Incorrect, NotFound

CHECKOUT = Path(__file__).resolve().parents[3]
LIST = Path("tests", "conformance", "requirements.yaml")
_TESTS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a source document, by its id.

    *background* asks for no code; *due* says that a test must carry it now.
    """

    id: str
    says: str
    background: bool = False
    due: bool = False

    @property
    def document(self) -> str:
        """The document's short name."""
        return self.id.partition(".")[0]


@dataclass(frozen=True)
class Coverage:
    """The documents by their short names, their statements by id, and the tests that carry each.

    *problems* are the marks that cannot be read.
    """

    documents: Mapping[str, str]
    statements: Mapping[str, Statement]
    carried: Mapping[str, Sequence[str]]
    problems: Sequence[str] = ()

    @cached_property
    def unknown(self) -> list[str]:
        """The ids that tests carry and no document has, with the tests."""
        return [f"{id_}: {', '.join(tests)}" for id_, tests in self.carried.items() if id_ not in self.statements]

    def of(self, document: str) -> list[Statement]:
        """Return a document's statements that ask for code, in its order."""
        return [one for one in self.statements.values() if one.document == document and not one.background]

    def missing(self, document: str) -> list[Statement]:
        """Return those of a document that no test carries."""
        return [one for one in self.of(document) if one.id not in self.carried]

    @cached_property
    def overdue(self) -> list[Statement]:
        """Those that a test must carry, and none does."""
        return [one for one in self.statements.values() if one.due and one.id not in self.carried]

    def table(self) -> Iterator[tuple[str, str, int, int]]:
        """Yield short name, name, covered and total of each document."""
        for document, name in self.documents.items():
            total = len(self.of(document))
            yield document, name, total - len(self.missing(document)), total


def read(checkout: Path = CHECKOUT) -> Coverage:
    """Return what the tests of *checkout* carry. Raises `NotFound` where there are no tests, as in a wheel."""
    listed = checkout / LIST
    if not listed.is_file():
        raise NotFound(
            "the list of requirements and the tests that carry them are not part of the installed library",
            hint="run this in a checkout of the project",
        )
    documents, statements = _statements(yaml.safe_load(listed.read_text(encoding="utf-8")))
    carried: dict[str, list[str]] = {}
    problems: list[str] = []
    for path in sorted((checkout / "tests").rglob("test_*.py")):
        marks = _Marks(str(path.relative_to(checkout)), ast.parse(path.read_text(encoding="utf-8")))
        found = list(marks.carried())
        problems += marks.problems
        if path.parent != listed.parent:
            problems += [f"{test} carries {id_}: such tests stand in {LIST.parent}" for id_, test in found]
            continue
        for id_, test in found:
            if test not in carried.setdefault(id_, []):
                carried[id_].append(test)
    return Coverage(documents, statements, carried, problems)


def _statements(written: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, Statement]]:
    documents = {short: document["document"] for short, document in written.items()}
    every = [
        Statement(id_, **fields) for document in written.values() for id_, fields in document["statements"].items()
    ]
    strays = [one.id for one in every if one.document not in documents]
    if strays:
        raise Incorrect.listing(str(LIST), [f"{id_} belongs to no document" for id_ in strays])
    return documents, {one.id: one for one in every}


class _Marks:
    """The marks of one file of tests: on functions, classes, parameters, or on the file as a whole."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self._name = name
        self._tree = tree
        self._read: set[ast.Call] = set()
        self.problems: list[str] = []

    def carried(self) -> Iterator[tuple[str, str]]:
        """Yield id and test of every mark; *problems* are complete afterwards."""
        for node in ast.walk(self._tree):
            if isinstance(node, _TESTS) and node.name.lower().startswith("test"):
                yield from self._ids(node.decorator_list, f"{self._name}::{node.name}")
            elif isinstance(node, ast.Assign) and [getattr(t, "id", None) for t in node.targets] == ["pytestmark"]:
                yield from self._ids([node.value], self._name)
        for node in ast.walk(self._tree):
            if _is_mark(node) and node not in self._read:
                self.problems.append(f"{self._name}:{node.lineno}: a requirement that is on no test")

    def _ids(self, places: Sequence[ast.expr], test: str) -> Iterator[tuple[str, str]]:
        for node in (inner for place in places for inner in ast.walk(place)):
            if _is_mark(node):
                self._read.add(node)
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        yield argument.value, test
                    else:
                        self.problems.append(f"{self._name}:{node.lineno}: write the id itself, as text")


def _is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "requirement"
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "mark"
    )
