"""Installed packages for tests: a folder with an entry point, as pip leaves it, put on the path."""

from pathlib import Path

import pytest


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, points: str, module: str = "", *, name: str = "acme"
) -> None:
    """Install a package *name* with entry *points* and the code of its *module* for the length of a test."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(points)
    (folder / f"{name}.py").write_text(module)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(__import__("sys").modules, name, raising=False)
