"""The folders of packs."""

import re
from collections.abc import Sequence
from pathlib import Path

_MODEL = re.compile(rb"^engine: *['\"]?model\b", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent.parent


def default_roots() -> list[Path]:
    """Return the folders of the packs that ship with Slowwave: the checkout's, then the wheel's copy."""
    checkout = _PACKAGE.parent.parent / "rules" / "packs"
    return [root for root in (checkout, _PACKAGE / "content" / "packs") if root.is_dir()]


def find_pack_folders(roots: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the folder of every rule pack by name. Packs under *roots* override shipped ones."""
    return {name: folder for name, folder in _folders(roots).items() if not needs_model(folder)}


def find_folders_to_add() -> dict[str, Path]:
    """Return, by name, the folder of every shipped pack that runs only if an operator adds it."""
    found: dict[str, Path] = {}
    for root in default_roots():
        more = root.parent / "more"
        for folder in sorted(more.iterdir()) if more.is_dir() else ():
            if (folder / "pack.yaml").is_file():
                found.setdefault(folder.name, folder)
    return found


def find_folders_in_force(rules: Path | None) -> dict[str, Path]:
    """Return the folder of every active rule pack, by name; packs under *rules* override shipped ones."""
    return find_pack_folders([rules] if rules else [])


def find_reader_folders(roots: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the folder of every model pack, by name; packs under *roots* override shipped ones."""
    return {name: folder for name, folder in _folders(roots).items() if needs_model(folder)}


def _folders(roots: Sequence[Path]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root in (*roots, *default_roots()):
        if not root.is_dir():
            continue
        for folder in sorted(root.iterdir()):
            if (folder / "pack.yaml").is_file():
                found.setdefault(folder.name, folder)
    return dict(sorted(found.items()))


def needs_model(folder: Path) -> bool:
    """Return whether the manifest in *folder* declares a model pack; False for an unreadable manifest."""
    try:
        with (folder / "pack.yaml").open("rb") as file:
            return bool(_MODEL.search(file.read(256 * 1024)))
    except OSError:
        return False
