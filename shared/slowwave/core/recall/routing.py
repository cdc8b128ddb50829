"""Routing: selects the route by which a question is answered, from the words of the question."""

import re
from typing import Literal

Route = Literal["flat", "sequential", "graph"]
"""The routes: by similarity and words (`flat`), by recency (`sequential`), or along facts from the entities that a
question names (`graph`)."""

LONG_CHARACTERS = 80
"""The length above which a question takes the graph route, in characters (Grampus)."""

_SEQUENTIAL = re.compile(r"\b(?:last time|previously|earlier|before|recent)\b", re.IGNORECASE)
_LAST = re.compile(r"\b(?:last|latest|previous)\b", re.IGNORECASE)
_GRAPH = re.compile(r"\b(?:how|why|relationship|explain|cause|effect)\b", re.IGNORECASE)
_PLURAL = re.compile(
    r"\b(?:what|which)\s+(?:\w+\s+){0,2}?(?!(?:does|is|was|has|his|this|as)\b)\w{2,}[a-rt-z]s\b(?!['’])", re.IGNORECASE
)
_MANY = re.compile(
    r"\bhow many\b|\b(?:kind|type|sort)s? of\b|\b(?:both|list|all|every|each)\b|\bwhat (?:are|were)\b", re.IGNORECASE
)
_EVER = re.compile(r"^\s*(?:what|which|who|where)\b.*\b(?:has|have)\b", re.IGNORECASE | re.DOTALL)
_FILLING = re.compile(
    r"\d+"
    r"|a|about|again|all|am|an|and|any|are|at|been|before|chat|chatted|conversation|conversations|did|discuss|"
    r"discussed|do|does|earlier|exactly|had|has|have|i|in|is|it|just|last|latest|me|message|messages|most|my|"
    r"of|on|our|previously|recent|recently|remind|said|say|session|some|spoke|talk|talked|tell|the|there|they|"
    r"thing|things|time|told|topic|topics|turns|us|was|we|were|what|which|with|you|your"
)
_HOW_MANY = re.compile(r"\b(?:last|latest|most recent|previous)\s+(\d{1,3})\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


def asks_for_several(question: str) -> bool:
    """Return whether *question* asks for a list whose items are in many memories.

    >>> [asks_for_several(asked) for asked in ("What books has Ann read?", "How many pets?", "Where has she been?")]
    [True, True, True]
    >>> [asks_for_several(asked) for asked in ("What does Ann read?", "Who was there?", "When did she leave?")]
    [False, False, False]
    """
    return any(pattern.search(question) is not None for pattern in (_PLURAL, _MANY, _EVER))


def names_nothing(question: str) -> bool:
    """Return whether *question* names no subject, and therefore asks for the newest memories of any subject.

    >>> names_nothing("What did we discuss last time?"), names_nothing("What did Ann paint before?")
    (True, False)
    """
    return all(_FILLING.fullmatch(word) for word in _WORD.findall(question.lower()))


def asks_how_many(question: str) -> int | None:
    """Return the number of newest memories that *question* asks for, or None if it gives no number.

    >>> asks_how_many("What were the most recent 3 messages?"), asks_how_many("What was said last time?")
    (3, None)
    """
    found = _HOW_MANY.search(question)
    return int(found[1]) or None if found else None


def route(question: str) -> Route:
    """Return the route of *question*, by its length and by the word lists of the agent framework Grampus.

    >>> route("What did we discuss last time?"), route("How does login relate to rights?"), route("Show me that")
    ('sequential', 'graph', 'flat')
    """
    if _SEQUENTIAL.search(question) or (_LAST.search(question) and names_nothing(question)):
        return "sequential"
    return "graph" if len(question) > LONG_CHARACTERS or _GRAPH.search(question) else "flat"
