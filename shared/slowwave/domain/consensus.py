"""A consensus of agents on a topic, and the dissent of those who did not agree."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from slowwave.domain.arguments import CheckedModel, Description, Metadata, Name, Result
from slowwave.domain.limits import MOST_NAMES
from slowwave.errors import Incorrect
from slowwave.formatting import brief, many, probability_text

Stance = Literal["consensus", "dissent"]


class Verdict(CheckedModel):
    """The statement of *agents* on a *topic*, and the agents' reasons.

    The constructor raises `Incorrect` with every problem. *key* is the caller's own name for the verdict. A second
    verdict with the same key is not stored. Without a key, each verdict is stored.
    """

    called = "the verdict"
    hint = "give topic, statement and agents"

    topic: Description
    statement: Description
    agents: tuple[Name, ...] = Field(min_length=1, max_length=MOST_NAMES)
    confidence: float = Field(1.0, ge=0, le=1, allow_inf_nan=False)
    reason: Result = ""
    metadata: Metadata = Field(default_factory=dict)
    key: Name | None = None

    @classmethod
    def read(cls, record: object) -> "Verdict":
        """Return *record* as a verdict. *record* is a verdict, or a mapping with its fields.

        Raises `Incorrect` for an invalid record.
        """
        if isinstance(record, Verdict):
            return record
        if not isinstance(record, Mapping) or not all(isinstance(name, str) for name in record):
            raise Incorrect.listing(cls.called, ["is not an object with named fields"], hint=cls.hint)
        return cls(**record)


@dataclass(frozen=True, slots=True)
class Position:
    """A stored verdict.

    All verdicts on a topic have the same *topic_hash*. *similarity* is the similarity to the queried topic.
    """

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

    def __repr__(self) -> str:
        return brief(
            self,
            self.stance,
            self.statement,
            many(len(self.agents), "agent"),
            probability_text(self.confidence),
            id=self.id,
        )
