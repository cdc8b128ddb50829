"""Scores of candidates in columns, with the reasons for them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from slowwave.core.recall.candidate import Ranked, Scores
from slowwave.core.recall.candidates import Candidates


@dataclass(frozen=True, slots=True)
class Scored:
    """The *scores* of *candidates*, and the *reasons* for them by name; NaN where a candidate lacks the reason."""

    candidates: Candidates
    scores: Scores
    reasons: Mapping[str, Scores]

    def then(self, scores: Scores, reasons: Mapping[str, Scores]) -> "Scored":
        """Return the same candidates with other *scores* and more *reasons*."""
        return Scored(self.candidates, scores, {**self.reasons, **reasons})

    def best_first(self) -> Iterator[Ranked]:
        """Give the candidates in order from the best. Of candidates with equal scores, the newest comes first."""
        columns = [(name, column.tolist()) for name, column in self.reasons.items()]
        scores = self.scores.tolist()
        for number in self.candidates.best_first(self.scores, last_told=True).tolist():
            reasons = {name: value for name, column in columns if (value := column[number]) == value}
            yield Ranked(self.candidates[number], scores[number], reasons)
