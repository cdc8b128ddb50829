"""The candidates of a question in columns, so that ranking computes with arrays and makes objects only for answers."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from slowwave.core.recall.candidate import Candidate, Scores, is_asked, is_named, words_in

Mask = NDArray[np.bool_]
Numbers = NDArray[np.int64]
_COLUMNS = ("ages", "similarity", "keyword", "saturation", "shares", "of_user", "asks")
_MICROSECOND = timedelta(microseconds=1)
_GROUP = 1 << 40
"""More than the positions of a scope."""


@dataclass(frozen=True)
class Candidates(Sequence[Candidate]):
    """Memories that may answer a question, with their measures in arrays. A memory's index is its number.

    The measures in *memories* do not count: *memories* may be shared with other questions. *ages* are in microseconds.
    *shares* has a row per memory and a column per word of the question. Each array of *beside* has the measure of
    another search; *led_to* selects the memories that any such search found.
    """

    memories: Sequence[Candidate]
    ages: NDArray[np.int64]
    similarity: Scores
    keyword: Scores
    saturation: Scores
    shares: Scores
    of_user: Mask
    asks: Mask
    beside: Mapping[str, Scores] = field(default_factory=dict)
    led_to: Mask | None = None

    @classmethod
    def of(cls, candidates: Iterable[Candidate], words: int) -> "Candidates":
        """Return *candidates* with their own measures. *words* is the number of the question's words."""
        every = list(candidates)
        shares = np.zeros((len(every), words))
        for number, one in enumerate(every):
            for word, share in one.shares.items():
                shares[number, word] = share
        names = dict.fromkeys(name for one in every for name in one.beside)
        return cls(
            every,
            np.array([one.age // _MICROSECOND for one in every], np.int64),
            np.array([one.similarity for one in every], np.float64),
            np.array([one.keyword for one in every], np.float64),
            np.array([one.saturation for one in every], np.float64),
            shares,
            np.array([one.of_user for one in every], np.bool_),
            np.array([one.asks for one in every], np.bool_),
            {name: np.array([one.beside.get(name, 0.0) for one in every]) for name in names},
            np.array([bool(one.beside) for one in every], np.bool_) if names else None,
        )

    def __len__(self) -> int:
        return len(self.memories)

    @overload
    def __getitem__(self, number: int) -> Candidate: ...
    @overload
    def __getitem__(self, number: slice) -> list[Candidate]: ...
    def __getitem__(self, number: int | slice) -> Candidate | list[Candidate]:
        if isinstance(number, slice):
            return [self[one] for one in range(len(self))[number]]
        one, (ages, similarity, keyword, saturation, shares, of_user, asks) = self.memories[number], self._measures
        led_to = self.led_to is not None and self.led_to[number]
        return Candidate(
            one.kind, one.id, one.scope, one.position, one.session, one.occurred, one.received,
            timedelta(microseconds=ages[number]), one.speaker, similarity[number], keyword[number], one.sources,
            one.text, one.confidence, one.form, of_user[number], one.role,
            {name: float(each[number]) for name, each in self.beside.items()} if led_to else {},
            {word: share for word, share in enumerate(shares[number]) if share}, saturation[number], asks[number],
            one.gist, one.ending, one.corrects,
        )  # fmt: skip

    def but(self, **changes: Any) -> "Candidates":
        """Return the same memories with other columns."""
        return replace(self, **changes)

    def only(self, numbers: Numbers | Mask) -> "Candidates":
        """Return the candidates that *numbers* selects, in this order."""
        chosen = np.arange(len(self))[numbers]
        return self.but(
            memories=[self.memories[number] for number in chosen.tolist()],
            **{name: getattr(self, name)[chosen] for name in _COLUMNS},
            beside={name: each[chosen] for name, each in self.beside.items()},
            led_to=None if self.led_to is None else self.led_to[chosen],
        )

    def then(self, other: "Candidates") -> "Candidates":
        """Return these candidates followed by *other*, before any other search has added its measures."""
        joined = {name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in _COLUMNS}
        return self.but(memories=[*self.memories, *other.memories], **joined)

    def found_beside(self, measures: Mapping[str, Mapping[uuid.UUID, float]]) -> "Candidates":
        """Return the candidates with the *measures* of other searches, by name and memory id."""
        by_id = {id_.int: id_ for measure in measures.values() for id_ in measure}
        led_to = [number for number, one in enumerate(self.memories) if one.id.int in by_id]
        mask, beside = np.zeros(len(self), np.bool_), {name: np.zeros(len(self)) for name in measures}
        mask[led_to] = True
        for name, measure in measures.items():
            beside[name][led_to] = [measure.get(self.memories[number].id, 0.0) for number in led_to]
        return self.but(beside=beside, led_to=mask)

    def best_first(self, scores: Scores, *, last_told: bool = False) -> Numbers:
        """Return the numbers of the candidates in order of *scores*, the best first. Of equal scores, the newest comes
        first; with *last_told*, also the last position of those of equal age. Then episodes come before facts.
        """
        order = np.lexsort((self.ages, -scores))
        scored, ages = scores[order], self.ages[order]
        if not ((scored[1:] == scored[:-1]) & (ages[1:] == ages[:-1])).any():
            return order
        ties = ((-one.position if last_told else 0, one.kind, one.id.int) for one in self.memories)
        keys = list(zip((-scores).tolist(), self.ages.tolist(), ties, strict=True))
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)

    @cached_property
    def _measures(self) -> list[list[Any]]:
        return [getattr(self, name).tolist() for name in _COLUMNS]

    @cached_property
    def episodes(self) -> Mask:
        """A mask of the episodes; the other candidates are facts."""
        return np.array([one.kind == "episode" for one in self.memories], np.bool_)

    @cached_property
    def statements(self) -> Mask:
        """A mask of the facts of the form `statement`."""
        return np.array([one.form == "statement" for one in self.memories], np.bool_)

    @cached_property
    def positions(self) -> Numbers:
        """The position of each memory."""
        return np.array([one.position for one in self.memories], np.int64)

    @cached_property
    def words(self) -> list[str]:
        """The words of each memory without the name of its speaker."""
        return [one.words for one in self.memories]

    @cached_property
    def places(self) -> Numbers:
        """A number for the place of each episode. Consecutive positions of a conversation have consecutive places."""
        episodes, groups = np.flatnonzero(self.episodes), dict[tuple[int, str], int]()
        turns = [self.memories[number] for number in episodes.tolist()]
        of = [groups.setdefault((one.scope.int, one.session), len(groups)) for one in turns]
        places = np.full(len(self), -1)
        places[episodes] = np.array(of, np.int64) * _GROUP + [one.position for one in turns]
        return places

    @property
    def led(self) -> Scores:
        """The best measure of other searches for each memory."""
        led: Scores = np.max([np.zeros(len(self)), *self.beside.values()], axis=0)
        return led

    @property
    def speakers(self) -> set[str]:
        """The names of the speakers of episodes."""
        return {one.speaker for one in self.memories if one.kind == "episode" and one.speaker}


def conversations(places: Numbers) -> Numbers:
    """Return the number of the conversation of each of *places*."""
    return places // _GROUP


def count_names(
    candidates: Candidates, question: str, numbers: Mapping[str, int], called: Iterable[str], share: float
) -> Candidates:
    """Return *candidates*, in which a speaker's name in *question* counts less than another word.

    Its weight is multiplied by *share*, because speakers seldom say their own name, and the name, as a rare word, would
    outweigh all other words of the question. The measure `speaker` already rewards memories of the named speaker. If a
    question consists only of names, the names count in full. *numbers* gives the number of each word of the question.
    *called* are the names of users.
    """
    speakers = {*called, *candidates.speakers}
    spoken = {word for name in speakers if is_named(name, question) for word in words_in(name)}
    names = sorted({numbers[word] for word in spoken if word in numbers})
    nothing_else = {*names} == {*numbers.values()} and not is_asked(question)
    if not names or share == 1 or nothing_else:
        return candidates
    shares = candidates.shares.copy()
    shares[:, names] *= share
    keyword = np.minimum(1.0, shares.sum(axis=1) * candidates.saturation)
    named = candidates.shares[:, names].any(axis=1)
    return candidates.but(shares=shares, keyword=np.where(named, keyword, candidates.keyword))
