"""Neighbours: how well the turns around a memory, and the sources of a memory, match the question."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import pairwise

import numpy as np

from slowwave.core.recall.candidate import Ranked, Scores
from slowwave.core.recall.candidates import Candidates, Numbers, conversations
from slowwave.core.recall.scoring import Weights

COVERS = 2
"""The distance, in positions, up to which a neighbour's words count. Each further position halves the weight of the
words."""
BEST_OF = 3
"""The number of best turns by which a conversation is judged. A single turn may match by chance, and most other turns
are off topic."""


def relevance(candidates: Candidates, likeness: Scores, weights: Weights, lent: Scores) -> Scores:
    """Return the match of each memory by itself, in [0, 1], from its *likeness* and keywords.

    The match is multiplied by the memory's number in *lent*.
    """
    own = weights.similarity + weights.keyword
    if not own:
        return np.zeros(len(candidates))
    matches: Scores = (weights.similarity * likeness + weights.keyword * candidates.keyword) / own * lent
    return matches


def passed_share(candidates: Candidates) -> Scores:
    """Return the share of each memory's match that counts for the neighbours of the memory, in [0, 1].

    A similar question usually has an answer near it. An identical question was asked just now, and has no answer yet.
    """
    return np.where(candidates.asks, 1 - candidates.similarity**4, 1.0)


def likeness(candidates: Candidates, weights: Weights, worded: Scores | None) -> Scores:
    """Return the similarity of each memory. If its similarity word by word is known, that is, not NaN in *worded*, both
    are averaged.
    """
    if worded is None:
        return candidates.similarity
    both = (1 - weights.worded) * candidates.similarity + weights.worded * worded
    return np.where(np.isnan(worded), candidates.similarity, both)


class Neighbourhood:
    """The neighbours and sources of each of *candidates*. *matches* are their matches without neighbours.

    *lent* is, for each candidate, the share of its match that counts for its neighbours.
    """

    def __init__(self, candidates: Candidates, matches: Scores, lent: Scores) -> None:
        self._candidates, self._matches, self._lent = candidates, matches, lent
        episodes, places = np.flatnonzero(candidates.episodes), candidates.places
        self._turns = episodes[np.argsort(places[episodes])]
        self._places = places[self._turns]
        self._known: dict[int, tuple[Numbers, Numbers]] = {}

    def covered(self, share: float) -> Scores:
        """Return the keyword score of each candidate, with the words of its neighbours in the session.

        The words of neighbours are weighted by *share*. A subject is often split over two turns: a question and its
        answer. If a turn itself contains no word of the question, the words of its neighbours do not count.
        """
        one = self._candidates
        words, lent = one.shares.copy(), one.shares * self._lent[:, np.newaxis]
        for away in range(1, COVERS + 1):
            before, after = self._pairs(away)
            part = share * 0.5 ** (away - 1)
            words[before] = np.maximum(words[before], part * lent[after])
            words[after] = np.maximum(words[after], part * lent[before])
        covered = np.maximum(one.keyword, np.minimum(1.0, words.sum(axis=1) * one.saturation))
        return np.where(one.episodes & one.shares.any(axis=1), covered, one.keyword)

    def conversations(self) -> Scores:
        """Return the match of each candidate's conversation, in [0, 1]; 0 for a fact.

        The match of a conversation is computed from its best turns, and from the question's words that it contains.
        """
        match = np.zeros(len(self._candidates))
        if not len(self._turns):
            return match
        of = conversations(self._places)
        turns = self._turns[np.lexsort((-self._matches[self._turns], of))]
        begins = np.flatnonzero(np.append(True, of[1:] != of[:-1]))
        sizes = np.diff(np.append(begins, len(of)))
        best = np.arange(len(of)) - np.repeat(begins, sizes) < BEST_OF
        mean = np.add.reduceat(np.where(best, self._matches[turns], 0.0), begins) / np.minimum(sizes, BEST_OF)
        lent = self._candidates.shares[turns] * self._lent[turns, np.newaxis]
        words = np.minimum(1.0, np.maximum.reduceat(lent, begins).sum(axis=1))
        match[turns] = np.repeat((mean + words) / 2, sizes)
        return match

    def contiguity(self, reach: int) -> Scores:
        """Return the best match among the other episodes at most *reach* positions away in the session."""
        best = np.zeros(len(self._candidates))
        for away in range(1, reach + 1):
            before, after = self._pairs(away)
            best[before] = np.maximum(best[before], self._matches[after])
            best[after] = np.maximum(best[after], self._matches[before])
        return best

    def provenance(self) -> Scores:
        """Return, for each fact, the best match of its source episodes; for each episode, the best match of the typed
        facts drawn from it.
        """
        memories, best = self._candidates.memories, np.zeros(len(self._candidates))
        numbers = {memories[number].id.int: number for number in self._turns.tolist()}
        pairs = [
            (number, episode)
            for number in np.flatnonzero(~self._candidates.episodes).tolist()
            for source in memories[number].sources
            if (episode := numbers.get(source.episode.int)) is not None
        ]
        if pairs:
            facts, episodes = np.array(pairs).T
            np.maximum.at(best, facts, self._matches[episodes])
            typed = ~self._candidates.statements[facts]
            np.maximum.at(best, episodes[typed], self._matches[facts[typed]])
        return best

    def _pairs(self, away: int) -> tuple[Numbers, Numbers]:
        """Return the numbers of the turns that have another turn *away* positions later, and of these other turns."""
        if away not in self._known:
            at = np.searchsorted(self._places, self._places + away)
            there = np.flatnonzero(at < len(self._places))
            there = there[self._places[at[there]] == self._places[there] + away]
            self._known[away] = self._turns[there], self._turns[at[there]]
        return self._known[away]


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
