"""A question as the statements of a recall are asked it."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowwave.core.blocks.estimate import Measures, Word
from slowwave.domain.reading.filters import Filters
from slowwave.ports import Vectors


@dataclass(frozen=True, slots=True)
class Question:
    """A question as its statements are asked it: *asked* are their parameters.

    *near* says how near the episodes lie that have no vector yet; the memories *beside* are looked at in any case.
    """

    words: Sequence[Word]
    vector: Vectors | None
    most: int
    measures: Measures
    filters: Filters
    near: Mapping[tuple[uuid.UUID, int], float]
    beside: Collection[uuid.UUID]
    asked: Mapping[str, Any]
