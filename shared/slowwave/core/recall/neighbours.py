"""Neighbours: how well the turns around a memory, and the sources of a memory, match the question."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import numpy as np

from slowwave.core.recall.candidate import Candidate, Ranked, Scores
from slowwave.core.recall.scoring import Weights

COVERS = 2
"""The distance, in positions, up to which a neighbour's words count. Each further position halves the weight of the
words."""
BEST_OF = 3
"""The number of best turns by which a conversation is judged. A single turn may match by chance, and most other turns
are off topic."""
_AROUND = [(step, 0.5 ** (away - 1)) for away in range(1, COVERS + 1) for step in (-away, away)]
"""The steps to the neighbours whose words count, and the weight of each."""


def relevance(
    candidates: Sequence[Candidate], likeness: Scores, weights: Weights, lent: Sequence[float]
) -> list[float]:
    """Return the match of each memory by itself, in [0, 1], from its *likeness* and keywords.

    The match is multiplied by the memory's number in *lent*.
    """
    own = weights.similarity + weights.keyword
    if not own:
        return [0.0] * len(candidates)
    matched = weights.similarity * likeness + weights.keyword * np.array([one.keyword for one in candidates])
    matches: list[float] = (matched / own * np.array(lent)).tolist()
    return matches


def likeness(candidate: Candidate, weights: Weights, worded: float | None) -> float:
    """Return the similarity of a memory. If *worded*, its similarity word by word, is known, both are averaged."""
    if worded is None:
        return candidate.similarity
    return (1 - weights.worded) * candidate.similarity + weights.worded * worded


class Neighbourhood:
    """The neighbours and sources of each of *candidates*. *matches* are their matches without neighbours.

    *lent* is, for each candidate, the share of its match that counts for its neighbours.
    """

    def __init__(self, candidates: Sequence[Candidate], matches: Sequence[float], lent: Sequence[float]) -> None:
        self._candidates, self._matches, self._lent = candidates, matches, lent
        self._sessions: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
        for number, one in enumerate(candidates):
            if one.kind == "episode":
                self._sessions[one.scope.int, one.session][one.position] = number

    def covered(self, share: float) -> list[float]:
        """Return the keyword score of each candidate, with the words of its neighbours in the session.

        The words of neighbours are weighted by *share*. A subject is often split over two turns: a question and its
        answer. If a turn itself contains no word of the question, the words of its neighbours do not count.
        """
        keywords = [one.keyword for one in self._candidates]
        for places in self._sessions.values():
            for position, number in places.items():
                one = self._candidates[number]
                if not one.shares:
                    continue
                words = dict(one.shares)
                for step, counts in _AROUND:
                    other = places.get(position + step)
                    if other is not None and (shares := self._candidates[other].shares):
                        part = share * counts * self._lent[other]
                        for word, share_of in shares.items():
                            if (counting := part * share_of) > words.get(word, 0.0):
                                words[word] = counting
                keywords[number] = max(one.keyword, min(1.0, sum(words.values()) * one.saturation))
        return keywords

    def conversations(self) -> list[float]:
        """Return the match of each candidate's conversation, in [0, 1]; 0 for a fact.

        The match of a conversation is computed from its best turns, and from the question's words that it contains.
        """
        match = [0.0] * len(self._candidates)
        for places in self._sessions.values():
            turns = list(places.values())
            best = sorted((self._matches[number] for number in turns), reverse=True)[:BEST_OF]
            of_all = (sum(best) / len(best) + self._word_coverage(turns)) / 2
            for number in turns:
                match[number] = of_all
        return match

    def contiguity(self, reach: int) -> list[float]:
        """Return the best match among the other episodes at most *reach* positions away in the session."""
        best, matches = [0.0] * len(self._candidates), self._matches
        for places in self._sessions.values():
            for position, number in places.items() if len(places) > 1 else ():
                for step in range(1, reach + 1):
                    other = places.get(position + step)
                    if other is not None:
                        best[number] = max(best[number], matches[other])
                        best[other] = max(best[other], matches[number])
        return best

    def provenance(self) -> list[float]:
        """Return, for each fact, the best match of its source episodes; for each episode, the best match of the typed
        facts drawn from it.
        """
        best = [0.0] * len(self._candidates)
        numbers = {one.id.int: number for number, one in enumerate(self._candidates) if one.kind == "episode"}
        for number, fact in enumerate(self._candidates):
            if fact.kind != "fact":
                continue
            for source in fact.sources:
                episode = numbers.get(source.episode.int)
                if episode is not None:
                    best[number] = max(best[number], self._matches[episode])
                    if fact.form != "statement":
                        best[episode] = max(best[episode], self._matches[number])
        return best

    def _word_coverage(self, turns: Sequence[int]) -> float:
        words: dict[int, float] = {}
        for number in turns:
            for word, share in self._candidates[number].shares.items():
                if (lent := share * self._lent[number]) > words.get(word, 0.0):
                    words[word] = lent
        return min(1.0, sum(words.values()))


def boosted_by_neighbours(ranked: Sequence[Ranked], within: timedelta, boost: float) -> list[Ranked]:
    """Return *ranked*, in which an episode gets a higher score if another episode happened at about the same time.

    The score grows by *boost* if the times differ by at most *within*.
    """
    times = sorted((one.candidate.occurred, one.candidate.id) for one in ranked if one.candidate.kind == "episode")
    close = {id_ for pair in pairwise(times) if pair[1][0] - pair[0][0] <= within for _, id_ in pair}
    return [
        replace(one, score=min(1.0, one.score + boost), reasons={**one.reasons, "contiguity": boost})
        if one.candidate.id in close
        else one
        for one in ranked
    ]
