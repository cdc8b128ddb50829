"""Tool calls, as read from the episodes that record them."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.scope import Scope
from slowwave.formatting import brief


@dataclass(frozen=True, slots=True)
class ToolInvocation:
    """One tool call with its input, its output and its result. Input and output are cut to a limit.

    *success* and *latency_ms* are None if unknown. *id* is the id of the episode.
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


def invocation(episode: RememberedEpisode) -> ToolInvocation:
    """Return the tool call that an episode records.

    A field that is missing in the metadata is read from the content.
    """
    metadata, content = episode.metadata, _content(episode.content)
    given, got = (metadata.get(name, content.get(name)) for name in ("input", "output"))
    success, latency = metadata.get("success"), metadata.get("latency_ms")
    return ToolInvocation(
        id=episode.id,
        scope=episode.scope,
        session=episode.session,
        turn=_text(metadata.get("turn")),
        tool=_text(metadata.get("tool", content.get("tool"))),
        input=given,
        output=got,
        success=success if isinstance(success, bool) else None,
        latency_ms=float(latency) if isinstance(latency, int | float) and not isinstance(latency, bool) else None,
        error=_text(metadata.get("error")),
        task=_text(metadata.get("task")),
        occurred=episode.occurred,
    )


def _content(content: str) -> Mapping[str, Any]:
    """Return the fields in a call's content. If the content is not a JSON object, the content is the output."""
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {"output": content}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
