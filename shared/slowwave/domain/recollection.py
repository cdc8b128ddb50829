"""A recalled memory, with its score, its reasons and its sources."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.domain.claim import Source


@dataclass(frozen=True, slots=True)
class Recollection:
    """One answer to a question.

    *score* lies in [0, 1]; *reasons* are the parts it was made of, by name (`similarity`, `keyword`, `recency`,
    `contiguity`, `speaker`, …), each in [0, 1] before weighting. *sources* point at the episodes behind it; for an
    episode that is the episode itself. *scope* is where it is remembered, the channel asked in or the one of all.
    """

    kind: Literal["fact", "episode"]
    id: uuid.UUID
    text: str
    score: float
    reasons: Mapping[str, float]
    sources: Sequence[Source]
    occurred: datetime
    confidence: float | None = None
    scope: uuid.UUID | None = None
