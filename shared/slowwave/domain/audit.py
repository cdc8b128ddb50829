"""A row of the audit log: one change or one query, with its author and reason."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from slowwave.formatting import brief, since


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A row of the audit log: an operation on memories, its author, and the settings at that time.

    *operation* is store, retrieve, update, delete, promote or noop. *memory_type* is episodic, semantic, procedural, or
    working, or `all` for a question that may have answers of several types. *affected* are the ids of the memories.
    *settings* are all thresholds in force at the time. The values in `promotion_…` are the thresholds of a promotion.
    """

    id: int
    at: datetime
    operation: str
    memory_type: str
    scope: uuid.UUID | None
    run: int | None
    user_id: str | None
    session_id: str | None
    source_channel: str | None
    target_channels: Sequence[str]
    affected: Sequence[uuid.UUID]
    query_text: str | None
    result_count: int | None
    latency_ms: float | None
    success: bool
    error_message: str | None
    promoted_from_channel: str | None
    promotion_confidence: float | None
    promotion_access_count: int | None
    promotion_conversation_count: int | None
    detail: Mapping[str, Any]
    settings: Mapping[str, Any]

    def __repr__(self) -> str:
        return brief(self, self.operation, self.memory_type, since(self.at, "on"), id=self.id)


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """A filter of audit rows. A row matches if its fields are equal to all given values."""

    operation: str | None = None
    memory_type: str | None = None
    user: str | None = None
    session: str | None = None
    channel: str | None = None
    since: datetime | None = None
    failed: bool = False
