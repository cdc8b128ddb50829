"""Memories that may answer a question: their measures, and the people that they name."""

import re
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from functools import lru_cache
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
REMEMBERED = 8_192
"""The number of names whose words are cached."""
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
    episodes with the same *gist* have the same words. *ending* is the end of an episode's text. *corrects* is
    False for a fact that corrected no other fact.
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
    corrects: bool = True

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
    first, relation = _parts_of_name(speaker)
    asked = words_in(question)
    return first in asked and relation <= asked


@lru_cache(maxsize=REMEMBERED)
def words_in(text: str) -> frozenset[str]:
    """Return the words of a name or a question, in lower case."""
    return frozenset(_WORD.findall(text.casefold()))


@lru_cache(maxsize=REMEMBERED)
def _parts_of_name(speaker: str) -> tuple[str, frozenset[str]]:
    """Return the first word of a name, and the words after the name's owner."""
    owner, _, relation = speaker.casefold().replace("’", "'").partition("'s ")
    return next(iter(_WORD.findall(owner)), ""), words_in(relation)


def is_of_user(question: str) -> bool:
    """Return whether *question* is about the person who asks, or about the user.

    >>> is_of_user("Where do I live?"), is_of_user("What is the user's name?"), is_of_user("Where is World War II?")
    (True, True, False)
    """
    return _OF_USER.search(question) is not None


def forms_of(question: str) -> list[str]:
    """Return the distinct words of *question* in lower case, in order."""
    return list(dict.fromkeys(_WORD.findall(question.casefold())))
