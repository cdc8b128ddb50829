"""Candidates by relations between entities: the facts at the ends of paths along a question's relations."""

import uuid
from collections.abc import Mapping

from slowwave.retrieval.memory_reader import Reader
from slowwave.retrieval.question import Query

MOST = 5
"""The most paths: the sixth best path matches too little of a question to answer it."""


def along_relations(memories: Reader, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts at the ends of paths along the question's relations, each with its path's score."""
    return memories.led_to(query.ids, query.question, most=MOST, now=query.now)


def between_named(memories: Reader, query: Query) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect the entities named in the question, if it asks how they are related."""
    return memories.connecting(query.ids, query.question, now=query.now) if query.route == "graph" else {}
