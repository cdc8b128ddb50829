"""The demo's home folder, one per checkout, beside the home of the embedded services."""

import hashlib
import shutil
from collections.abc import Iterator
from pathlib import Path

import slowwave
from slowwave.cli.demo.sample import version
from slowwave.cli.supervisor.folders import only_one

CHECKOUT = Path(slowwave.__file__).resolve().parent
"""The folder of this checkout or installation."""


def demo_home(home: Path, checkout: Path = CHECKOUT) -> Path:
    """Return the demo's folder for *checkout* and the current version of the sample."""
    return home.with_name(f"{_prefix(home, checkout)}{version()}")


def forget(home: Path, checkout: Path = CHECKOUT) -> Iterator[Path]:
    """Remove every demo folder of *checkout*, and give each. Raises `Incorrect` while a demo runs in one."""
    for folder in sorted(home.parent.glob(f"{_prefix(home, checkout)}*")):
        with only_one(folder / "up.lock"):
            shutil.rmtree(folder)
        yield folder


def _prefix(home: Path, checkout: Path) -> str:
    return f"{home.name}-demo-{hashlib.sha256(str(checkout).encode()).hexdigest()[:8]}-"
