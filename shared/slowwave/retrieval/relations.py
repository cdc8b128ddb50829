"""Candidates by what holds between entities: the facts to which the relations that a question names lead."""

import uuid
from collections.abc import Mapping

from slowwave.retrieval.asking import Asked
from slowwave.retrieval.reader import Reader

MOST = 5
"""Ways that are followed to their end: what accounts for less of a question than five others do answers nothing."""


def along_relations(memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
    """Return the facts at the ends of walks along the relations that the question names, each with its share of it."""
    return memories.led_to(asked.ids, asked.question, most=MOST, now=asked.now)


def between_named(memories: Reader, asked: Asked) -> Mapping[uuid.UUID, float]:
    """Return the facts that connect the entities that the question names, where it asks how things hang together."""
    return memories.connecting(asked.ids, asked.question, now=asked.now) if asked.route == "graph" else {}
