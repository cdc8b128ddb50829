"""The demo's sample: six days of three people and two agents, in order of time."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import slowwave
from slowwave.domain.scope import Scope

FILE = Path(slowwave.__file__).parent / "samples" / "days.jsonl"
BROKER_AGENT = "workbench"
"""The agent that reaches only the broker; the other one uses the library."""


@dataclass(frozen=True, slots=True)
class Line:
    """One episode of the sample, and the scope it belongs to."""

    scope: Scope
    episode: dict[str, Any]

    @property
    def by_broker(self) -> bool:
        """True if its agent reaches only the broker."""
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
    """Return a short hash of the sample's content, so that a changed sample never mixes with an older one's data."""
    return hashlib.sha256(FILE.read_bytes()).hexdigest()[:8]
