"""The folders of packs and of policies: shipped ones, and those of the operator."""

import re
from collections.abc import Sequence
from pathlib import Path

_MODEL = re.compile(rb"^engine: *['\"]?model\b", re.MULTILINE)
_PACKAGE = Path(__file__).resolve().parent.parent


def default_roots() -> list[Path]:
    """Return the folders of the shipped packs: first the folder in a checkout, then the copy in the wheel."""
    checkout = _PACKAGE.parent.parent / "rules" / "packs"
    return [root for root in (checkout, _PACKAGE / "content" / "packs") if root.is_dir()]


def find_pack_folders(roots: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the folder of every rule pack by name. Packs under *roots* override shipped packs."""
    return {name: folder for name, folder in _folders(roots).items() if not needs_model(folder)}


def find_folders_to_add() -> dict[str, Path]:
    """Return the folder of every shipped pack that runs only after an operator has added the pack, by name."""
    found: dict[str, Path] = {}
    for root in default_roots():
        more = root.parent / "more"
        for folder in sorted(more.iterdir()) if more.is_dir() else ():
            if (folder / "pack.yaml").is_file():
                found.setdefault(folder.name, folder)
    return found


def searched_folders(rules: Path | None) -> list[Path]:
    """Return the folders in which packs are looked for: *rules*, the shipped packs, and the optional packs."""
    roots = default_roots()
    more = [root.parent / "more" for root in roots]
    return [*([rules] if rules else []), *roots, *(folder for folder in more if folder.is_dir())]


def find_folders_in_force(rules: Path | None) -> dict[str, Path]:
    """Return the folder of every active rule pack, by name; packs under *rules* override shipped packs."""
    return find_pack_folders([rules] if rules else [])


def find_reader_folders(roots: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the folder of every model pack, by name; packs under *roots* override shipped packs."""
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


def policy_folders(rules: Path | None = None) -> list[Path]:
    """Return the folders that may have policies: beside the folder *rules*, in the checkout, and in the wheel."""
    folders = [_PACKAGE.parent.parent / "rules" / "policies", _PACKAGE / "content" / "policies"]
    return [rules.resolve().parent / "policies", *folders] if rules is not None else folders


def find_policy(name: str, rules: Path | None = None) -> Path | None:
    """Return the policy file *name* from the first folder that has such a file; None if no folder has it."""
    return next((folder / name for folder in policy_folders(rules) if (folder / name).is_file()), None)
