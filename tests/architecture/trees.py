"""Copies of the checkout to plant mistakes in, and the commands of `make check` to find them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

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


def plant(tree: Path, files: Mapping[str, str]) -> None:
    """Append each text to its file, which is made where it is not there."""
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")


def run(tree: Path, tool: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of this environment in *tree*, on the tree's own code."""
    environment = os.environ | {"PYTHONPATH": f"{tree / 'shared'}:{tree}", "COLUMNS": "300", "NO_COLOR": "1"}
    return subprocess.run(
        [TOOLS / tool, *arguments], cwd=tree, env=environment, capture_output=True, text=True, check=False
    )
