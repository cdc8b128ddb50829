"""The scores of many candidates, in columns: a `Ranked` is made only of those that are returned."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from numpy.typing import NDArray

from slowwave.core.recall.candidate import Candidate, Ranked

Scores = NDArray[np.float64]
Column = Sequence[float | None]
"""A number for each candidate; None for one that does not have that reason."""


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
