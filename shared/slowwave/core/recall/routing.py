"""Routing: by which road a question is answered, from its words alone."""

import re
from typing import Literal

Route = Literal["flat", "sequential", "graph"]
"""What matches by meaning and words, what was told last, or what facts lead to from whom the question names."""

LONG_CHARACTERS = 80
"""A longer question asks for how things hang together (Grampus)."""

_SEQUENTIAL = re.compile(r"\b(?:last time|previously|earlier|before|recent)\b", re.IGNORECASE)
_GRAPH = re.compile(r"\b(?:how|why|relationship|explain|cause|effect)\b", re.IGNORECASE)


def route(question: str) -> Route:
    """Return the road of a question: by whole words, the lists and the length that Grampus names.

    >>> route("What did we discuss last time?"), route("How does login relate to rights?"), route("Show me that")
    ('sequential', 'graph', 'flat')
    """
    if _SEQUENTIAL.search(question):
        return "sequential"
    return "graph" if len(question) > LONG_CHARACTERS or _GRAPH.search(question) else "flat"
