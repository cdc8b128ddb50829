"""The kind of work `python`: a pack's module is checked against its import contract and executed for each window."""

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import ModuleType
from typing import Any

from slowwave.domain.claim import Claim
from slowwave.errors import Incorrect
from slowwave.sandbox.process import Window

OURS = ("slowwave.core", "slowwave.domain")
STANDARD = frozenset({
    "__future__", "abc", "bisect", "calendar", "collections", "dataclasses", "datetime", "decimal", "difflib", "enum",
    "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "numbers", "operator", "re",
    "statistics", "string", "textwrap", "types", "typing", "unicodedata", "uuid", "zoneinfo",
})  # fmt: skip
"""The modules of the standard library that only compute: they have no input or output, no clock, and no random numbers.
"""
REFUSED = frozenset({
    "__import__", "breakpoint", "compile", "eval", "exec", "exit", "globals", "input", "open", "quit", "vars",
})  # fmt: skip
FUNCTION = "claims"


def allowed(module: str) -> bool:
    """Return whether a pack may import *module*."""
    return module.partition(".")[0] in STANDARD or module in OURS or module.startswith(tuple(f"{o}." for o in OURS))


def problems_in(name: str, source: str) -> list[str]:
    """Return everything in the *source* of the file *name* that breaks the contract, in the order of its lines."""
    try:
        tree = ast.parse(source, name)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        return [f"{name}{line}: is no Python: {getattr(error, 'msg', None) or type(error).__name__}"]
    found = sorted({(line, problem) for node in ast.walk(tree) for line, problem in _breaches(node)})
    lines = [f"{name}, line {line}: {problem}" for line, problem in found]
    return lines if _defines(tree) else [*lines, f"{name}: expected a function {FUNCTION}(episodes)"]


def _breaches(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        yield from ((node.lineno, _refused(alias.name)) for alias in node.names if not allowed(alias.name))
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        names = [module] if allowed(module) or node.level else [f"{module}.{alias.name}" for alias in node.names]
        yield from ((node.lineno, _refused(one)) for one in names if node.level or not allowed(one))
    elif isinstance(node, ast.Name) and node.id in REFUSED:
        yield node.lineno, f"uses {node.id}, which a pack may not"


def _refused(module: str) -> str:
    return f"imports {module}; a pack imports slowwave.domain, slowwave.core and what computes in the standard library"


def looks_back(source: str) -> bool:
    """Return whether the function in a valid *source* also takes the turns before a window."""
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == FUNCTION)
    return any(map(_takes_before, functions))


def _takes_before(function: ast.FunctionDef) -> bool:
    return [one.arg for one in (*function.args.posonlyargs, *function.args.args)][1:] == ["before"]


def _defines(tree: ast.Module) -> bool:
    """Return whether *tree* defines the function, with one argument or with the earlier turns as a second argument."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == FUNCTION:
            taken = [*node.args.posonlyargs, *node.args.args]
            return len(taken) - len(node.args.defaults) == 1 + _takes_before(node)
    return False


def opened(given: Mapping[str, str]) -> Callable[[Window], Iterable[Claim]]:
    """Return the function of the module in *given* (`name` and `source`).

    Raises `Incorrect` if the module cannot be loaded.
    """
    name = given["name"]
    problems = problems_in(name, given["source"])
    if problems:
        raise Incorrect(name, problems=problems)
    code = compile(given["source"], name, "exec", dont_inherit=True)
    try:
        exec(code, _namespace())
    except Exception as error:  # a pack's code may raise any exception
        raise Incorrect(name, problems=[f"{name}: cannot be loaded: {type(error).__name__}: {error}"]) from error

    more = looks_back(given["source"])

    def read(window: Window) -> Iterable[Claim]:
        names = _namespace()
        exec(code, names)
        claims = list(names[FUNCTION](window.episodes, *([window.before] if more else [])))
        if wrong := [one for one in claims if not isinstance(one, Claim)]:
            raise TypeError(f"expected claims, got a {type(wrong[0]).__name__}")
        return claims

    return read


def _namespace() -> dict[str, Any]:
    allowed = {name: value for name, value in vars(builtins).items() if name not in REFUSED}
    return {"__name__": "pack", "__builtins__": {**allowed, "__import__": _imported}}


def _imported(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> ModuleType:
    """Import the module *name* in the way of the statement `import`, if the contract allows the module."""
    named = [f"{name}.{part}" for part in fromlist or ()] if not allowed(name) else [name]
    if level or not named or not all(map(allowed, named)):
        raise ImportError(f"a pack may not import {name}")
    return __import__(name, globals, locals, fromlist, level)
