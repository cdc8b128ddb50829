"""Writes what editors and type checkers know of the async faces: `python ops/async_faces.py`, after a verb has changed.

Each verb stands once, on its face. Here its arguments and its words are read from there, and told of its async twin.
"""

import ast
import builtins
import importlib
import inspect
import subprocess
import sys
import textwrap
from collections.abc import Collection, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from slowwave.memory.asynchronous import faces, twin
from slowwave.memory.asynchronous.twin import ASKING, AT_ONCE, NOT_OF_A_TWIN, TWINS

STUB = Path(faces.__file__).with_suffix(".pyi")
ROOT = Path(__file__).parents[1]
SYNCHRONOUS = {*AT_ONCE, "follow", "on_delta"}
OF_A_TWIN = {
    **{(face.__module__, face.__name__): made.__name__ for face, made in TWINS.items()},
    ("slowwave.memory.installation", "OneScope"): "AsyncMemoryScope",
    ("slowwave.memory.subscriptions", "PostgresDeltas"): "AsyncDeltaIterator",
    ("slowwave.subscriptions.deltas", "Subscription"): "AsyncSubscription",
}
"""The names that replace those of a synchronous face in its async twin, by module and name."""


class Names:
    """The imports of a stub: a name for each imported object, unique where two objects have the same name."""

    def __init__(self) -> None:
        self._by_origin: dict[tuple[str, str], str] = {}
        self._modules: set[str] = set()

    def of(self, module: ModuleType, name: str) -> str:
        """Return the name by which the stub has what *module* calls *name*."""
        origin = _origin(module, name)
        if origin is None:
            return name
        if origin[1] == "":
            self._modules.add(origin[0])
            return name
        found = getattr(importlib.import_module(origin[0]), origin[1], None)
        face = (found.__module__, found.__name__) if inspect.isclass(found) else origin
        if face in OF_A_TWIN:
            made = OF_A_TWIN[face]
            if made in ("AsyncDeltaIterator", "AsyncSubscription"):
                self._by_origin[("slowwave.subscriptions.async_deltas", made)] = made
            return made
        if origin not in self._by_origin:
            taken = origin[1] in self._by_origin.values()
            self._by_origin[origin] = f"{_camel(origin[0])}{origin[1]}" if taken else origin[1]
        return self._by_origin[origin]

    def lines(self) -> Iterator[str]:
        """Return the import statements for these names."""
        yield from (f"import {module}" for module in self._modules)
        for (module, name), local in self._by_origin.items():
            yield f"from {module} import {name}" + (f" as {local}" if local != name else "")


class _Renamed(ast.NodeTransformer):
    """Replaces the names of a face's module by those of the stub."""

    def __init__(self, module: ModuleType, names: Names, members: set[str]) -> None:
        self._module, self._names, self._members = module, names, members

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if hasattr(builtins, node.id) and node.id not in vars(self._module):
            clash = node.id in self._members
            self._names.of(importlib.import_module("slowwave"), "builtins") if clash else None
            return ast.parse(f"builtins.{node.id}", mode="eval").body if clash else node
        return ast.copy_location(ast.Name(self._names.of(self._module, node.id), node.ctx), node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if isinstance(node.value, str) and node.value.isidentifier() and _origin(self._module, node.value):
            return ast.Name(self._names.of(self._module, node.value), ast.Load())
        if isinstance(node.value, str) and "[" in node.value:
            expression = self.visit(ast.parse(node.value, mode="eval").body)
            assert isinstance(expression, ast.expr)
            return expression
        return node


def stub() -> str:
    """Return the text of the stub, as `ruff format` will have it but for its lines."""
    names = Names()
    classes = [_class(face, made, names) for face, made in TWINS.items()]
    body = "\n\n".join(ast.unparse(ast.fix_missing_locations(one)) for one in classes)
    head = '"""Made by ops/async_faces.py of the faces themselves: edit those."""'
    return "\n".join([head, "", "import builtins", *names.lines(), "from typing import Self", "", body, ""])


def _class(face: type, made: type, names: Names) -> ast.ClassDef:
    members = {name for name in dir(face) if not name.startswith("_")}
    body: list[ast.stmt] = [ast.Expr(ast.Constant(_indented(made.__doc__)))]
    for name, attribute in inspect.getmembers_static(face):
        if not name.startswith("_") and name not in NOT_OF_A_TWIN:
            body.append(_member(face, name, attribute, names, members))
    own = ast.parse(inspect.getsource(faces))
    for node in own.body:
        if isinstance(node, ast.ClassDef) and node.name == made.__name__:
            for verb in node.body:
                if isinstance(verb, ast.FunctionDef | ast.AsyncFunctionDef):
                    body.append(_twin_of(verb, faces, names, members))
    base = ast.Name(names.of(twin, "AsyncFace"), ast.Load())
    return ast.ClassDef(name=made.__name__, bases=[base], keywords=[], body=body, decorator_list=[])


def _member(face: type, name: str, attribute: Any, names: Names, members: set[str]) -> ast.stmt:
    if isinstance(attribute, property):
        assert attribute.fget is not None
        node, module = _source(attribute.fget)
        return _twin_of(node, module, names, members, awaited=name in ASKING, plain=name in ASKING)
    if inspect.isfunction(attribute):
        node, module = _source(attribute)
        return _twin_of(node, module, names, members, awaited=name not in SYNCHRONOUS, plain=True)
    if isinstance(attribute, staticmethod):
        node, module = _source(attribute.__func__)
        return _twin_of(node, module, names, members, keep={"staticmethod"})
    annotation, module = _field(face, name)
    renamed = _Renamed(module, names, members).visit(annotation)
    line = ast.parse(f"@property\ndef {name}(self) -> object: ...").body[0]
    assert isinstance(line, ast.FunctionDef)
    line.returns = renamed
    return line


def _twin_of(
    node: ast.FunctionDef | ast.AsyncFunctionDef, module: ModuleType, names: Names, members: set[str],
    *, awaited: bool = False, plain: bool = False, keep: Collection[str] = ("property", "classmethod"),
) -> ast.stmt:  # fmt: skip
    """Return the signature and docstring of a verb, with the names of the stub."""
    renamed = _Renamed(module, names, members)
    arguments = node.args
    for one in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]:
        if one is not None and one.annotation is not None:
            one.annotation = renamed.visit(one.annotation)
    arguments.defaults = [_default(one, module) for one in arguments.defaults]
    arguments.kw_defaults = [one and _default(one, module) for one in arguments.kw_defaults]
    doc = ast.get_docstring(node)
    kind = ast.AsyncFunctionDef if awaited or isinstance(node, ast.AsyncFunctionDef) else ast.FunctionDef
    decorators = [one for one in node.decorator_list if isinstance(one, ast.Name) and one.id in keep]
    return kind(
        name=node.name,
        args=arguments,
        body=[ast.Expr(ast.Constant(_indented(doc) if doc else ...))],
        decorator_list=[] if plain else decorators,  # type: ignore[arg-type]
        returns=None if node.returns is None else renamed.visit(node.returns),
    )


def _source(function: Any) -> tuple[ast.FunctionDef, ModuleType]:
    function = inspect.unwrap(function)
    node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node, importlib.import_module(function.__module__)


def _field(face: type, name: str) -> tuple[ast.expr, ModuleType]:
    for base in face.__mro__:
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(base)))) if base is not object else ():
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
                return node.annotation, importlib.import_module(base.__module__)
    raise LookupError(f"{face.__name__} has no field {name}")


def _default(node: ast.expr, module: ModuleType) -> ast.expr:
    if isinstance(node, ast.Name):
        value = vars(module).get(node.id)
        return ast.Constant(value if isinstance(value, int | float | str) else ...)
    return node


def _origin(module: ModuleType, name: str) -> tuple[str, str] | None:
    """Return the module and the name that *name* of *module* stands for: no name where it is a module itself."""
    if name == "builtins":
        return "builtins", ""
    for node in ast.walk(ast.parse(inspect.getsource(module))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for one in node.names:
                if (one.asname or one.name) == name:
                    return node.module, one.name
        elif isinstance(node, ast.Import):
            for one in node.names:
                if (one.asname or one.name) == name:
                    return one.name, ""
    return (module.__name__, name) if name in vars(module) else None


def _camel(module: str) -> str:
    return "".join(word.title() for word in module.rpartition(".")[2].split("_"))


def _indented(doc: str | None) -> str:
    return textwrap.indent(inspect.cleandoc(doc or ""), "        ").strip() + (
        "\n        " if "\n" in (doc or "").strip() else ""
    )


def write(path: Path) -> None:
    """Write the stub to *path*, as `ruff` has it."""
    path.write_text(stub())
    ruff = [sys.executable, "-m", "ruff"]
    subprocess.run([*ruff, "check", "--quiet", "--fix", "--select", "I,F401", str(path)], check=True, cwd=ROOT)
    subprocess.run([*ruff, "format", "--quiet", str(path)], check=True, cwd=ROOT)


if __name__ == "__main__":
    write(STUB)
