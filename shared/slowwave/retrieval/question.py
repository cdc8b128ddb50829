"""The question of a recall, and what its stages share: the reader of memories and a stopwatch."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field

from slowwave.core.recall.query import Query
from slowwave.domain.recollection import Stage
from slowwave.runtime import clock
from slowwave.store.recall.recall import TenantMemories


@dataclass(slots=True)
class Stopwatch:
    """The stages so far; each begins at the end of the previous stage."""

    stages: list[Stage] = field(default_factory=list)
    last: float = field(default_factory=clock.monotonic)

    def ended(self, name: str, memories: int | None = None) -> None:
        """Record the end of a stage, and the number of memories left."""
        now = clock.monotonic()
        self.stages.append(Stage(name, (now - self.last) * 1000, memories))
        self.last = now


MOST = 5
"""The most paths: the sixth best path matches too little of a question to answer it."""


def along_relations(memories: TenantMemories, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts at the ends of paths along the question's relations, each with its path's score."""
    return memories.led_to(query.ids, query.question, most=MOST, now=query.now)


def between_named(memories: TenantMemories, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect the entities named in the question, if it asks how they are related."""
    return memories.connecting(query.ids, query.question, now=query.now) if query.route == "graph" else {}
