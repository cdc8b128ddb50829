"""Candidates: memories that may answer a question, with their measures, and as they are ranked."""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role

Scores = NDArray[np.float64]
Column = Sequence[float | None]
"""A number for each candidate; None for one that does not have that reason."""


@dataclass(slots=True)
class Candidate:
    """A memory that may answer, with the measures of the scan. It never changes once it is made.

    It is not frozen, as a question makes hundreds of them, and a frozen one takes three times as long to make.
    *similarity* is the cosine to the question and *keyword* the share of the question's words that it contains,
    weighted by rarity; both in [0, 1]. *text* and the end of an episode's own source are filled in only for returned
    memories. *speaker* is a fact's subject, *form* the form of a fact, *of_user* is True if it is about the user of its
    scope. *position* and *session* of a fact are those of its latest source episode; it has no *role*. *beside* has the
    measures of other candidate sources, each in [0, 1]. *shares* gives what each word of the question, by its number,
    adds to the keyword score; that score is their sum times *saturation*, which falls with the length of the memory.
    *asks* is True for an episode that is only a question; episodes with the same *gist* have the same words. *ending*
    is the end of an episode's text.
    """

    kind: Literal["fact", "episode"]
    id: uuid.UUID
    scope: uuid.UUID
    position: int
    session: str
    occurred: datetime
    received: datetime
    age: timedelta
    speaker: str | None
    similarity: float
    keyword: float
    sources: Sequence[Source]
    text: str = ""
    confidence: float | None = None
    form: Form | None = None
    of_user: bool = False
    role: Role | None = None
    beside: Mapping[str, float] = field(default_factory=dict)
    shares: Mapping[int, float] = field(default_factory=dict)
    saturation: float = 1.0
    asks: bool = False
    gist: str | None = None
    ending: str = ""

    @property
    def told(self) -> str:
        """Its words without the name of who said them."""
        text = self.text or self.ending
        return text.removeprefix(f"{self.speaker}: ") if self.speaker else text

    def but(self, **changes: Any) -> "Candidate":
        """Return this candidate with other values, three times as fast as `dataclasses.replace`."""
        made = Candidate(*_VALUES(self))
        for name, value in changes.items():
            setattr(made, name, value)
        return made


_VALUES = attrgetter(*(field.name for field in fields(Candidate)))


@dataclass(slots=True)
class Ranked:
    """A candidate with its score and its reasons, each in [0, 1]. *match* is the score before calibration.

    It never changes once it is made; like a candidate it is not frozen, to be made faster.
    If *until* is set, all beliefs from this turn ended then.
    """

    candidate: Candidate
    score: float
    reasons: Mapping[str, float]
    match: float | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Scored:
    """The *scores* of *candidates*, and the *reasons* for them by name."""

    candidates: Sequence[Candidate]
    scores: Scores
    reasons: Mapping[str, Column]

    def then(self, scores: Scores, reasons: Mapping[str, Column]) -> "Scored":
        """Return the same candidates with other *scores* and more *reasons*."""
        return Scored(self.candidates, scores, {**self.reasons, **reasons})

    def best_first(self) -> Iterator[Ranked]:
        """Give the candidates, best first; of equals the newest first."""
        scores = self.scores.tolist()
        keys = [_key(score, one) for score, one in zip(scores, self.candidates, strict=True)]
        for number in sorted(range(len(keys)), key=keys.__getitem__):
            reasons = {name: said for name, column in self.reasons.items() if (said := column[number]) is not None}
            yield Ranked(self.candidates[number], scores[number], reasons)


def best_first(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return *ranked*, best first; of equals the newest first."""
    return sorted(ranked, key=lambda one: _key(one.score, one.candidate))


def _key(score: float, one: Candidate) -> tuple[float, timedelta, int, str, int]:
    return -score, one.age, -one.position, one.kind, one.id.int
