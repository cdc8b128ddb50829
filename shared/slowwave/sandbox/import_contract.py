"""The import contract of a pack's module: the modules that it may import, and the names that it may not use."""

import ast
from collections.abc import Iterator

OURS = ("slowwave.core", "slowwave.domain")
STANDARD = frozenset({
    "__future__", "abc", "bisect", "calendar", "collections", "dataclasses", "datetime", "decimal", "difflib", "enum",
    "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math", "numbers", "operator", "re",
    "statistics", "string", "textwrap", "types", "typing", "unicodedata", "uuid", "zoneinfo",
})  # fmt: skip
"""The modules of the standard library that only compute: no input or output, no clock, no randomness."""
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
    found = sorted({(line, said) for node in ast.walk(tree) for line, said in _breaches(node)})
    lines = [f"{name}, line {line}: {said}" for line, said in found]
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
    """Return whether *tree* defines the function with one argument, or with the earlier turns as the second."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == FUNCTION:
            taken = [*node.args.posonlyargs, *node.args.args]
            return len(taken) - len(node.args.defaults) == 1 + _takes_before(node)
    return False
