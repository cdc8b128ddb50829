"""The work `python`: executes a pack's module anew for each window, under the import contract."""

import builtins
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import ModuleType
from typing import Any

from slowwave.domain.claim import Claim
from slowwave.errors import Incorrect
from slowwave.sandbox.import_contract import FUNCTION, REFUSED, allowed, looks_back, problems_in
from slowwave.sandbox.wire_format import Window


def opened(given: Mapping[str, str]) -> Callable[[Window], Iterable[Claim]]:
    """Return the function of the module *given* as `name` and `source`. Raises `Incorrect` if it cannot be loaded."""
    name = given["name"]
    problems = problems_in(name, given["source"])
    if problems:
        raise Incorrect(name, problems=problems)
    code = compile(given["source"], name, "exec", dont_inherit=True)
    try:
        exec(code, _namespace())
    except Exception as error:  # a pack's code may raise anything
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
    kept = {name: value for name, value in vars(builtins).items() if name not in REFUSED}
    return {"__name__": "pack", "__builtins__": {**kept, "__import__": _imported}}


def _imported(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] = (),
    level: int = 0,
) -> ModuleType:
    """Import a module like `import`, if the contract allows it."""
    named = [f"{name}.{part}" for part in fromlist or ()] if not allowed(name) else [name]
    if level or not named or not all(map(allowed, named)):
        raise ImportError(f"a pack may not import {name}")
    return __import__(name, globals, locals, fromlist, level)
