"""The format of a pack's `cases.yaml`: after these messages, in order, these beliefs are expected."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from slowwave.domain.episode import EpisodeKind, Role, StoredEpisode, offset_of

FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
"""A Monday. Messages without a time are said then, a minute apart."""


def _utc(instant: datetime) -> datetime:
    try:
        return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)
    except OverflowError:
        raise ValueError("lies outside the years 1 to 9999 in UTC") from None


def _aware(instant: datetime) -> datetime:
    _utc(instant)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant


def _as_message(value: Any) -> Any:
    return {"text": value} if isinstance(value, str) else value


Instant = Annotated[datetime, AfterValidator(_utc)]


class CaseMessage(BaseModel):
    """One message, with its role, speaker and time if these differ from the default user."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: Annotated[str, Field(min_length=1)]
    role: Role = "user"
    kind: EpisodeKind = "message"
    speaker: str | None = None
    at: Annotated[datetime, AfterValidator(_aware)] | None = None
    session: str = "s1"
    metadata: dict[str, Any] = Field(default_factory=dict)

    def episode(self, number: int) -> StoredEpisode:
        """Return it as the *number*-th episode of a scope, counted from 0."""
        at = self.at or FIRST + timedelta(minutes=number)
        occurred = at.astimezone(UTC)
        speaker = {"speaker": self.speaker} if self.speaker else {}
        return StoredEpisode(
            id=uuid.uuid5(uuid.NAMESPACE_OID, f"case/{number}"),
            key=f"e{number + 1}",
            position=number + 1,
            received=occurred,
            occurred=occurred,
            session=self.session,
            role=self.role,
            kind=self.kind,
            content=self.text,
            metadata={**self.metadata, **speaker},
            utc_offset=offset_of(at),
        )


class Case(BaseModel):
    """An example of what the pack understands, and a test of it.

    If it lists *statements*, these are all statements held at the end, and `believe` lists only typed facts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    it: Annotated[str, Field(min_length=1)]
    told: Annotated[list[Annotated[CaseMessage, BeforeValidator(_as_message)]], Field(min_length=1)]
    believe: list[str]
    statements: list[str] | None = None
    believed_at: dict[Instant, list[str]] = Field(default_factory=dict)

    @property
    def episodes(self) -> list[StoredEpisode]:
        """The messages as episodes of one scope."""
        return [told.episode(number) for number, told in enumerate(self.told)]
