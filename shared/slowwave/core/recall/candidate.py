"""Memories that may answer a question: their measures, and the people that they name."""

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]
else:
    Scores = object
Column = Sequence[float | None]
"""One number per candidate, or None if the candidate does not have this reason."""
_ASKS = re.compile(r"\?|^\W*(?:who|whom|whose|what|when|where|which|why|how|tell|remind|show)\b", re.IGNORECASE)
_LAST_SENTENCE = re.compile(r"[.!?…\n][\"'”’)]*\s+\S")
_OF_USER = re.compile(r"\bI\b|\b(?:me|my|mine|myself|the user)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class Candidate:
    """A memory that may answer a question, with the measures of the search. Nothing changes a candidate after it is
    made.

    The class is not frozen, because a question makes hundreds of candidates, and a frozen object takes three times as
    long to make. *similarity* is the cosine to the question. *keyword* is the share of the question's words that the
    memory contains, weighted by rarity. Both are in [0, 1]. An episode's *text* and the end of its source are set only
    if the episode is returned. For a fact, *speaker* is the subject, and *of_user* is True if the fact is about the
    user of its scope. *position* and *session* of a fact are those of its latest source episode; a fact has no *role*.
    *beside* has the measures from other searches, such as the graph, each in [0, 1]. *shares* gives, by number, the
    amount that each word of the question adds to the keyword score. The keyword score is the sum of these amounts times
    *saturation*, which falls with the length of the memory. *asks* is True for an episode that is only a question;
    episodes with the same *gist* have the same words. *ending* is the end of an episode's text.
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
    def words(self) -> str:
        """The words of the memory without the name of the speaker."""
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

    Nothing changes the object after it is made. It is not frozen, because a frozen object takes longer to make. If
    *until* is set, all beliefs from this turn ended at that time.
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
        """Give the candidates in order from the best. Of candidates with equal scores, the newest comes first."""
        scores = self.scores.tolist()
        keys = [_key(score, one) for score, one in zip(scores, self.candidates, strict=True)]
        for number in sorted(range(len(keys)), key=keys.__getitem__):
            reasons = {name: value for name, column in self.reasons.items() if (value := column[number]) is not None}
            yield Ranked(self.candidates[number], scores[number], reasons)


def best_first(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Return *ranked* in order from the best. Of memories with equal scores, the newest comes first."""
    return sorted(ranked, key=lambda one: _key(one.score, one.candidate))


def _key(score: float, one: Candidate) -> tuple[float, timedelta, int, str, int]:
    return -score, one.age, -one.position, one.kind, one.id.int


def only_asks(text: str) -> bool:
    """Return whether *text* is only a question.

    A name may precede the question, and *text* may be the end of a longer text.

    >>> only_asks("Ann: Where do I live?"), only_asks("I moved to Oslo. And you?"), only_asks("I moved to Oslo")
    (True, False, False)
    """
    asked = text.strip()
    return asked.endswith("?") and _LAST_SENTENCE.search(asked) is None


def is_asked(question: str) -> bool:
    """Return whether *question* is a question, and not only a list of words.

    A list of words searches for any text with these words, even for questions.

    >>> is_asked("where do I live"), is_asked("Do I live in Oslo?"), is_asked("the way, do I live in Oslo")
    (True, True, False)
    """
    return _ASKS.search(question) is not None


def answers(one: Candidate) -> float:
    """Return a factor in [0, 1] for a memory's score.

    The factor is low if the memory is itself a question that is similar to the question asked; else it is 1.
    """
    return 1 - one.similarity**2 if one.asks else 1.0


def passed_share(one: Candidate) -> float:
    """Return the share of a memory's match that counts for the neighbours of the memory, in [0, 1].

    A similar question usually has an answer near it. An identical question was asked just now, and has no answer yet.
    """
    return 1 - one.similarity**4 if one.asks else 1.0


def deduplicated(ranked: Iterable[Ranked], most: int | None = None) -> list[Ranked]:
    """Return *ranked* without memories that repeat the words of a higher memory of the same scope.

    At most *most* memories are returned.
    """
    seen: set[tuple[int, str]] = set()
    distinct: list[Ranked] = []
    for one in ranked:
        if len(distinct) == most:
            break
        if (gist := one.candidate.gist) is not None:
            if (words := (one.candidate.scope.int, gist)) in seen:
                continue
            seen.add(words)
        distinct.append(one)
    return distinct


def is_named(speaker: str, question: str) -> bool:
    """Return whether *question* names *speaker* by the full name or the first name, in upper or lower case.

    A speaker whose name contains another name ("Ann's sister") is named only if *question* has all words of the name.

    >>> is_named("Ann Lee", "Where did ann go?"), is_named("Ann Lee", "What annoys Lee?")
    (True, False)
    >>> is_named("Ann's sister", "Where is Ann?"), is_named("Ann's sister", "Where is Ann's sister?")
    (False, True)
    """
    asked = _WORD.findall(question.casefold())
    owner, _, relation = speaker.casefold().replace("’", "'").partition("'s ")
    names = _WORD.findall(owner)
    return bool(names) and names[0] in asked and set(_WORD.findall(relation)) <= {*asked}


def is_of_user(question: str) -> bool:
    """Return whether *question* is about the person who asks, or about the user.

    >>> is_of_user("Where do I live?"), is_of_user("What is the user's name?"), is_of_user("Where is World War II?")
    (True, True, False)
    """
    return _OF_USER.search(question) is not None


def forms_of(question: str) -> list[str]:
    """Return the distinct words of *question* in lower case, in order."""
    return list(dict.fromkeys(_WORD.findall(question.casefold())))


def count_names(
    candidates: Sequence[Candidate], question: str, numbers: Mapping[str, int], called: Iterable[str], share: float
) -> list[Candidate]:
    """Return *candidates*, in which a speaker's name in *question* counts less than another word.

    Its weight is multiplied by *share*, because speakers seldom say their own name, and the name, as a rare word, would
    outweigh all other words of the question. The measure `speaker` already rewards memories of the named speaker. If a
    question consists only of names, the names count in full. *numbers* gives the number of each word of the question.
    *called* are the names of users.
    """
    speakers = {*called, *(one.speaker for one in candidates if one.kind == "episode" and one.speaker)}
    spoken = {word for name in speakers if is_named(name, question) for word in _WORD.findall(name.casefold())}
    names = {numbers[word] for word in spoken if word in numbers}
    nothing_else = names == {*numbers.values()} and not is_asked(question)
    if not names or share == 1 or nothing_else:
        return list(candidates)
    return [_counting(one, names, share) if names & one.shares.keys() else one for one in candidates]


def _counting(one: Candidate, names: set[int], share: float) -> Candidate:
    shares = {word: amount * (share if word in names else 1.0) for word, amount in one.shares.items()}
    counted = {word: amount for word, amount in shares.items() if amount}
    return one.but(shares=counted, keyword=min(1.0, sum(counted.values()) * one.saturation))
