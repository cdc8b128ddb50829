"""A question with the parameters of the recall statements."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slowwave.core.blocks.estimate import Measures, Word
from slowwave.domain.queries.filters import Filters
from slowwave.ports import Vectors


@dataclass(frozen=True, slots=True)
class Question:
    """A question in a recall: *asked* has the parameters of its statements.

    *near* has the similarity of episodes without a vector; the memories *beside* are always read.
    """

    words: Sequence[Word]
    vector: Vectors | None
    most: int
    measures: Measures
    filters: Filters
    near: Mapping[tuple[uuid.UUID, int], float]
    beside: Collection[uuid.UUID]
    asked: Mapping[str, Any]
