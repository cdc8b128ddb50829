"""The sample of the demo (six days of three people and two agents), and the demo's home folder, one per checkout."""

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import slowwave
from slowwave.cli.supervisor.servers import only_one
from slowwave.domain.scope import Scope

FILE = Path(slowwave.__file__).parent / "samples" / "days.jsonl"
BROKER_AGENT = "workbench"
"""The agent that reaches only the broker. The other agent uses the library."""
CHECKOUT = Path(slowwave.__file__).resolve().parent
"""The folder of this checkout or installation."""


@dataclass(frozen=True, slots=True)
class Line:
    """One episode of the sample, and the scope of the episode."""

    scope: Scope
    episode: dict[str, Any]

    @property
    def by_broker(self) -> bool:
        """True if the agent of this line reaches only the broker."""
        return self.scope.agent == BROKER_AGENT


@cache
def sample(tenant: str = "default") -> tuple[Line, ...]:
    """Return every episode, oldest first."""
    return tuple(_lines(tenant))


def _lines(tenant: str) -> Iterator[Line]:
    for text in FILE.read_text("utf-8").splitlines():
        item = json.loads(text)
        yield Line(Scope(tenant, item.pop("user"), item.pop("agent"), item.pop("channel")), item)


def version() -> str:
    """Return a short hash of the sample's content.

    With this hash, a changed sample never mixes with data of an older sample.
    """
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:8]


def demo_home(home: Path, checkout: Path = CHECKOUT) -> Path:
    """Return the demo's folder for *checkout* and the current version of the sample."""
    return home.with_name(f"{_prefix(home, checkout)}{version()}")


def forget(home: Path, checkout: Path = CHECKOUT) -> Iterator[Path]:
    """Remove every demo folder of *checkout*, and yield each removed folder.

    Raises `Incorrect` while a demo runs in a folder.
    """
    for folder in sorted(home.parent.glob(f"{_prefix(home, checkout)}*")):
        with only_one(folder / "up.lock"):
            shutil.rmtree(folder)
        yield folder


def _prefix(home: Path, checkout: Path) -> str:
    return f"{home.name}-demo-{hashlib.sha256(str(checkout).encode()).hexdigest()[:8]}-"
