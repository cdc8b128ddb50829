"""What agents agreed on, and who did not."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from slowwave.domain.episode import problems_of
from slowwave.errors import Incorrect

Stance = Literal["consensus", "dissent"]
_Words = Annotated[str, Field(min_length=1, max_length=10_000, pattern=r"^[^\x00]*\S[^\x00]*$")]


class Verdict(BaseModel):
    """What *agents* say about a *topic*, together, and why. Everything wrong with one is said at once, as `Incorrect`.

    *key* is the caller's own name for it: storing the same key again is a repeat. Without one each is a new one.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    topic: _Words
    statement: _Words
    agents: tuple[_Words, ...] = Field(min_length=1)
    confidence: float = Field(1.0, ge=0, le=1, allow_inf_nan=False)
    reason: str = ""
    metadata: dict[str, Any] = Field(default_factory=dict)
    key: _Words | None = None

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise Incorrect.listing("the verdict", problems_of(error), hint="say topic, statement and agents") from None


@dataclass(frozen=True, slots=True)
class Position:
    """A verdict as it is held. Those on one topic share its *topic_hash*; *similarity* is to the topic asked about."""

    id: uuid.UUID
    stance: Stance
    topic: str
    topic_hash: str
    statement: str
    agents: Sequence[str]
    confidence: float
    reason: str
    metadata: Mapping[str, Any]
    decided: datetime
    similarity: float | None = None
