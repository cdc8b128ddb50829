"""Candidates by relations between entities: the facts that a question's relations lead to."""

import uuid
from collections.abc import Mapping

from slowwave.retrieval.asking import Asked
from slowwave.retrieval.reader import Reader

MOST = 5
"""The paths kept: the sixth best path accounts for too little of a question to answer it."""


def along_relations(memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
    """Return the facts at the ends of paths along the question's relations, each with its share of the question."""
    return memories.led_to(asked.ids, asked.question, most=MOST, now=asked.now)


def between_named(memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect the entities named in the question, if it asks how they are related."""
    return memories.connecting(asked.ids, asked.question, now=asked.now) if asked.route == "graph" else {}
