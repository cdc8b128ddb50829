"""Invocations of tools, as they are read back from the episodes that tell of them."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.brief import brief
from slowwave.domain.reading.episode import RememberedEpisode
from slowwave.domain.scope import Scope


@dataclass(frozen=True, slots=True)
class ToolInvocation:
    """One call of a tool: its input and output, of which the beginning was kept, and how it went.

    *success* and *latency_ms* are None where nobody said. *id* is that of the episode that tells of it.
    """

    id: uuid.UUID
    scope: Scope
    session: str
    turn: str | None
    tool: str | None
    input: Any
    output: Any
    success: bool | None
    latency_ms: float | None
    error: str | None
    task: str | None
    occurred: datetime

    def __repr__(self) -> str:
        ended = {True: "succeeded", False: "failed", None: None}[self.success]
        took = None if self.latency_ms is None else f"{self.latency_ms:g} ms"
        return brief(self, self.tool, ended, took, f"session {self.session}", id=self.id)


def invocation(told: RememberedEpisode) -> ToolInvocation:
    """Return the call that an episode tells of; what its metadata do not say is looked for in its content."""
    said, content = told.metadata, _content(told.content)
    given, got = (said.get(name, content.get(name)) for name in ("input", "output"))
    success, latency = said.get("success"), said.get("latency_ms")
    return ToolInvocation(
        id=told.id,
        scope=told.scope,
        session=told.session,
        turn=_text(said.get("turn")),
        tool=_text(said.get("tool", content.get("tool"))),
        input=given,
        output=got,
        success=success if isinstance(success, bool) else None,
        latency_ms=float(latency) if isinstance(latency, int | float) and not isinstance(latency, bool) else None,
        error=_text(said.get("error")),
        task=_text(said.get("task")),
        occurred=told.occurred,
    )


def _content(content: str) -> Mapping[str, Any]:
    """Return the parts of a call's content; where it is no object, all of it is the output."""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        told = None
    return told if isinstance(told, dict) else {"output": content}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
