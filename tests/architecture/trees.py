"""Copies of the checkout to plant mistakes in, and the commands of `make check` to find them."""

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import click

from slowwave.cli import cli

ROOT = Path(__file__).parents[2]
PACKAGES = {"slowwave": "shared/slowwave", "worker": "worker", "scheduler": "scheduler", "rules": "rules"}
TOOLS = Path(sys.executable).parent


def copy_tree(target: Path) -> Path:
    """Copy what the checks look at to *target* and return it."""
    for folder in ("shared", "worker", "scheduler", "rules"):
        shutil.copytree(
            ROOT / folder, target / folder, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors", "*.json")
        )
    shutil.copy(ROOT / "pyproject.toml", target)
    return target


def nodes_of(path: Path) -> Iterator[ast.AST]:
    """Give the nodes of a Python file, the module first."""
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def ours(root: Path, *kinds: str) -> Iterator[Path]:
    """Give the files of our packages with these suffixes, in order."""
    for folder in PACKAGES.values():
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (kinds or (".py",)):
                yield path


def write(tree: Path, files: Mapping[str, str]) -> None:
    """Write each text to its file, and make the folders that are not there."""
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def plant(tree: Path, files: Mapping[str, str]) -> None:
    """Append each text to its file, which is made where it is not there."""
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")


def require_command(place: str, arguments: list[str]) -> None:
    """Fail where the command `slowwave` would refuse *arguments*."""
    group: click.Command | None = cli
    while isinstance(group, click.Group):
        group = group.get_command(click.Context(group), arguments.pop(0))
    assert group is not None, place
    group.make_context(place, arguments)  # raises for an unknown option or value


def run(tree: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment in *tree*, on the tree's own code."""
    environment = os.environ | {"PYTHONPATH": f"{tree / 'shared'}:{tree}", "COLUMNS": "300", "NO_COLOR": "1"}
    return subprocess.run(
        [TOOLS / tool, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
