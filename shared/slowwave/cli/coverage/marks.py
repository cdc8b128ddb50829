"""The required statements, and the marks of tests that cover them, read from the tests' source."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

import yaml

from slowwave.errors import Incorrect, NotFound

LIST = Path("tests", "conformance", "requirements.yaml")
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CHECKS = {"raises", "warns"}
_SKIPS = {"skip", "skipif", "xfail", "importorskip"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One requirement: a statement of a source document, quoted word for word.

    A *background* statement requires no code. *later* names the work that will cover the statement. *lacks* is the
    reason why a due statement has no test.
    """

    id: str
    says: str
    background: bool = False
    later: str = ""
    lacks: str = ""

    @property
    def document(self) -> str:
        """The document's short name."""
        return self.id.partition(".")[0]

    @property
    def due(self) -> bool:
        """True if a test must cover the statement: it requires code and is not planned for later."""
        return not (self.background or self.later)

    @property
    def excused(self) -> str:
        """The reason why no test needs to cover the statement; empty if a test must cover it."""
        if self.background:
            return "is background"
        return f"is left to {self.later}" if self.later else self.lacks and f"lacks {self.lacks}"


def statements(checkout: Path) -> tuple[dict[str, str], dict[str, Statement]]:
    """Return the documents' names by short name, and their statements by id.

    Raises `NotFound` if there is no list, as in a wheel. Raises `Incorrect` for a statement without a document.
    """
    listed = checkout / LIST
    if not listed.is_file():
        raise NotFound(
            "the list of requirements and the tests that carry them are not part of the installed library",
            hint="run this in a checkout of the project",
        )
    written: Mapping[str, dict[str, Mapping[str, str]]] = yaml.safe_load(listed.read_text(encoding="utf-8"))
    every = [Statement(id_, **fields) for one in written.values() for id_, fields in one["statements"].items()]  # type: ignore[arg-type]  # as YAML has them
    if strays := [f"{one.id} belongs to no document" for one in every if one.document not in written]:
        raise Incorrect.listing(str(LIST), strays)
    return {short: str(one["document"]) for short, one in written.items()}, {one.id: one for one in every}


@dataclass(frozen=True, slots=True)
class Marks:
    """The tests of each requirement, by its id, and a sentence for each invalid mark."""

    carried: dict[str, list[str]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def marks(checkout: Path) -> Marks:
    """Return the marks of every test in *checkout*."""
    found = Marks()
    for path in sorted((checkout / "tests").rglob("test_*.py")):
        file = _File(str(path.relative_to(checkout)), ast.parse(path.read_text(encoding="utf-8")))
        for id_, test in file.carried():
            if (checkout / LIST).parent not in path.parents:
                file.problems.append(f"{test} carries {id_}: such tests stand in {LIST.parent}")
            elif test not in found.carried.setdefault(id_, []):
                found.carried[id_].append(test)
        found.problems.extend(file.problems)
    return found


class _File:
    """The marks in one test file: on functions, classes, parameters, or the whole file."""

    def __init__(self, name: str, tree: ast.Module) -> None:
        self._name = name
        self._tree = tree
        self._read: set[ast.Call] = set()
        self._functions = {node.name: node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)}
        self.problems: list[str] = []

    def carried(self) -> Iterator[tuple[str, str]]:
        """Yield the requirement's id and the test of every valid mark. After the last mark, *problems* is complete."""
        for node in ast.walk(self._tree):
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)) and node.name.lower().startswith("test"):
                yield from self._ids(node.decorator_list, f"{self._name}::{node.name}", node)
            elif isinstance(node, ast.Assign) and [getattr(t, "id", None) for t in node.targets] == ["pytestmark"]:
                yield from self._ids([node.value], self._name, self._tree)
        for node in ast.walk(self._tree):
            if _is_mark(node) and node not in self._read:
                self.problems.append(f"{self._name}:{node.lineno}: a requirement that is on no test")

    def _ids(self, expressions: Sequence[ast.expr], test: str, node: ast.AST) -> Iterator[tuple[str, str]]:
        ids = [
            id_ for one in expressions for inner in ast.walk(one) if _is_mark(inner) for id_ in self._ids_of_mark(inner)
        ]
        refused = self._refused(expressions, node) if ids else []
        self.problems += [f"{test} carries {', '.join(ids)} and {reason}" for reason in refused]
        if not refused:
            yield from ((id_, test) for id_ in ids)

    def _ids_of_mark(self, mark: ast.Call) -> Iterator[str]:
        self._read.add(mark)
        for argument in mark.args:
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                yield argument.value
            else:
                self.problems.append(f"{self._name}:{mark.lineno}: write the id itself, as text")

    def _refused(self, expressions: Sequence[ast.expr], node: ast.AST) -> list[str]:
        """Return the reasons why a test, or a class or file of tests, may not have a mark."""
        tests = [
            each for each in ast.walk(node) if isinstance(each, _FUNCTIONS) and each.name.lower().startswith("test")
        ]
        reasons = []
        if any(_named(each, _SKIPS) for one in (*expressions, *tests) for each in ast.walk(one)):
            reasons.append("may be skipped")
        if not tests or not all(self._asserts(each, set()) for each in tests):
            reasons.append("asserts nothing")
        return reasons

    def _asserts(self, function: _Function, seen: set[str]) -> bool:
        """Return whether *function*, or a helper in the same file that *function* calls, has an assertion that can
        fail.
        """
        seen.add(function.name)
        return any(
            (isinstance(each, ast.Assert) and _may_be_false(each.test))
            or (isinstance(each, ast.withitem) and _named(getattr(each.context_expr, "func", each), _CHECKS))
            or (
                isinstance(each, ast.Call)
                and isinstance(each.func, ast.Name)
                and each.func.id not in seen
                and (helper := self._functions.get(each.func.id)) is not None
                and self._asserts(helper, seen)
            )
            for each in _walked(function)
        )


def _walked(node: ast.AST) -> Iterator[ast.AST]:
    """Yield *node* and its descendants, except loops over empty literals."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not (isinstance(inner, ast.For) and isinstance(inner.iter, ast.List | ast.Tuple) and not inner.iter.elts):
            yield from _walked(inner)


def _may_be_false(test: ast.expr) -> bool:
    """Return whether *test* can be false.

    An expression without variables, a tuple, or a comparison of a value with itself counts as always true.
    """
    if isinstance(test, ast.Tuple) or not any(isinstance(each, ast.Name) for each in ast.walk(test)):
        return False
    sides = {ast.dump(side) for side in (test.left, *test.comparators)} if isinstance(test, ast.Compare) else set()
    return len(sides) != 1


def _named(node: ast.AST, names: set[str]) -> bool:
    """Return whether *node* refers to one of *names*, which pytest defines, with the prefix `pytest.` or as an imported
    name.
    """
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr in names and ast.unparse(node).startswith("pytest.")


def _is_mark(node: ast.AST) -> TypeGuard[ast.Call]:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "requirement"
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "mark"
    )
