"""Outdated turns: all that was believed of them has ended, and they stand below what ended it."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from slowwave.core.recall.candidate import Candidate, Ranked

LEFT = 0.7
"""The share of its score that an outdated turn keeps: it tells of what was, where a question asks for what is."""

_OF_PAST = re.compile(
    r"\b(?:did|was|were|wasn't|weren't|used to|previous(?:ly)?|former(?:ly)?|before|earlier|originally|at first"
    r"|back then|in the past|ago|last (?:night|week|month|year)|yesterday|in (?:19|20)\d\d|history)\b",
    re.IGNORECASE,
)
_OF_NOW = re.compile(
    r"\b(?:now|still|current(?:ly)?|today|these days|any ?more|at the moment|nowadays)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of all that was believed of a turn: until when it held, and the turn that ended it last."""

    until: datetime
    by: Candidate


def asks_of_past(question: str) -> bool:
    """Return whether *question* asks for what was, rather than for what holds.

    >>> asks_of_past("Where did she live before?"), asks_of_past("Is the car she was driving still hers?")
    (True, False)
    """
    return _OF_PAST.search(question) is not None and _OF_NOW.search(question) is None


def below(ranked: Sequence[Ranked], ended: Mapping[uuid.UUID, Ended]) -> list[Ranked]:
    """Return *ranked* with each outdated turn below the one that ended it, which answers as well as it did."""
    found = {one.candidate.id: one for one in ranked}
    for id_ in sorted((id_ for id_ in found if id_ in ended), key=lambda id_: (ended[id_].until, id_)):
        told, was = ended[id_], found[id_]
        by = found.get(told.by.id) or Ranked(told.by, 0.0, {})
        if was.score > by.score:
            reasons = {**by.reasons, "ends": was.score}
            found[told.by.id] = replace(by, score=was.score, match=was.match, reasons=reasons)
        left = {**was.reasons, "outdated": 1 - LEFT}
        found[id_] = replace(was, score=was.score * LEFT, reasons=left, until=told.until)
    return sorted(found.values(), key=lambda one: (-one.score, one.until is not None))
