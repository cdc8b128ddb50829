"""The folders in which packs are looked for."""

from collections.abc import Sequence
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent.parent


def default_roots() -> list[Path]:
    """Return the folders of packs that come with Slowwave: the checkout's, then the wheel's copy."""
    checkout = _PACKAGE.parent.parent / "rules" / "packs"
    return [root for root in (checkout, _PACKAGE / "content" / "packs") if root.is_dir()]


def find_pack_folders(roots: Sequence[Path] = ()) -> dict[str, Path]:
    """Return the folder of every pack by name. Those under *roots* go before those that come with Slowwave."""
    found: dict[str, Path] = {}
    for root in (*roots, *default_roots()):
        if not root.is_dir():
            continue
        for folder in sorted(root.iterdir()):
            if (folder / "pack.yaml").is_file():
                found.setdefault(folder.name, folder)
    return dict(sorted(found.items()))
