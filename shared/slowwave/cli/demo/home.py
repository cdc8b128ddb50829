"""The demo's own home in a checkout: beside the embedded services' home, apart from other checkouts' demos."""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import slowwave
from slowwave.cli.demo.sample import version
from slowwave.cli.supervisor.folders import only_one

CHECKOUT = Path(slowwave.__file__).resolve().parent
"""This checkout, or this installation."""


def demo_home(home: Path, checkout: Path = CHECKOUT) -> Path:
    """Return the folder of the demo that is run from *checkout*, for the sample as it is now."""
    return home.with_name(f"{_prefix(home, checkout)}{version()}")


def forget(home: Path, checkout: Path = CHECKOUT) -> Iterator[Path]:
    """Remove every folder the demo keeps of *checkout*, and give each. Raises `Incorrect` while a demo runs in one."""
    for folder in sorted(home.parent.glob(f"{_prefix(home, checkout)}*")):
        with only_one(folder / "up.lock"):
            shutil.rmtree(folder)
        yield folder


def _prefix(home: Path, checkout: Path) -> str:
    return f"{home.name}-demo-{hashlib.sha256(str(checkout).encode()).hexdigest()[:8]}-"
