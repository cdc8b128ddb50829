"""A recalled memory with its score, reasons and sources, and the explanation of a whole recall."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.domain.scope import Scope
from slowwave.formatting import brief
from slowwave.former_names import warn_of_former

Remembered = Literal["fact", "typed", "statement", "episode"]
"""The kinds of memory that a query may select: all facts, facts of one form, or episodes."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of a recall, with its time. *memories* is the number of memories that are left after the stage.

    If the stage is an additional source of memories, *answers* is the number of its memories among the answers.
    """

    name: str
    milliseconds: float
    memories: int | None = None
    answers: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One measure of one memory: its *value*, its *weight*, and the amount that it *adds* to the match.

    If the measure multiplies the match, *adds* is the resulting difference, which may be negative.
    """

    name: str
    weight: float
    value: float
    adds: float


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure of a recall. *memories* is the number of memories with a value above zero.

    *share* is the share of the measure in the match of the answers.
    """

    name: str
    memories: int
    share: float


@dataclass(frozen=True, slots=True)
class Explained:
    """The explanation of one recall. *parts* has, by memory id, the terms whose sum is the match of an answer.

    *background* is the match that memories reach by chance. A score above 0 needs a higher match.
    """

    stages: Sequence[Stage]
    measures: Sequence[Measure]
    parts: Mapping[uuid.UUID, Sequence[Part]]
    background: float | None = None


def ending(until: datetime | None) -> str:
    """Return in words the day until which a memory was true, or an empty text if the memory is still true.

    >>> ending(datetime(2026, 2, 20, 9)), ending(None)
    (' (so until 20 Feb 2026)', '')
    """
    return f" (so until {until.day} {until:%b %Y})" if until else ""


@dataclass(frozen=True, slots=True)
class Recollection:
    """One answer to a question.

    *score*, in [0, 1], is the estimated probability that the memory answers the question. The estimate was measured on
    dialogue with the default weights, and scores of different questions are comparable. *match*, in [0, 1], says how
    well the memory matches this question compared with other memories. The score is computed from the match. *reasons*
    are the parts of the match by name (`similarity`, `keyword`, `recency`, `contiguity`, `speaker`, …), each in [0, 1]
    before weighting. An episode that no worker has embedded yet has the reason `embedded_at_recall`. A memory that was
    found while the embedder was unavailable has the reason `embedder_away`. Both reasons are 1.0 and add nothing.
    *sources* are the words of a fact's source episodes; for an episode, it is the episode itself. *scope* has the agent
    and channel of the memory. *form* distinguishes a typed fact from a statement. *session* is the session of the
    source. *role* is the role of an episode's speaker. If *until* is set, all beliefs from this episode ended at that
    time. The memory that ended the beliefs ranks above this episode, unless the question asks about the past.
    """

    kind: Literal["fact", "episode"]
    id: uuid.UUID
    text: str
    score: float
    reasons: Mapping[str, float]
    sources: Sequence[Source]
    occurred: datetime
    confidence: float | None = None
    scope: Scope | None = None
    form: Form | None = None
    session: str | None = None
    role: Role | None = None
    match: float | None = None
    until: datetime | None = None

    @property
    def text_with_end(self) -> str:
        """The text of the memory, with the end date if the memory is no longer true."""
        return f"{self.text}{ending(self.until)}"

    @property
    def told(self) -> str:
        """The former name of `text_with_end`."""
        warn_of_former("told", "text_with_end")
        return self.text_with_end

    def __repr__(self) -> str:
        return brief(self, self.kind, self.text_with_end, f"score {self.score:.2f}", id=self.id)


class Recollections(list[Recollection]):
    """The answers to one question, in order from the best.

    *by_words_alone* counts the episodes that only a keyword search covered, because too many episodes had no vector
    yet. *embedder_away* is True if the embedder was unavailable and the whole search was by keywords. *explained* is
    the explanation of the recall, if requested.
    """

    def __init__(
        self,
        found: Iterable[Recollection] = (),
        *,
        by_words_alone: int = 0,
        embedder_away: bool = False,
        explained: Explained | None = None,
    ) -> None:
        super().__init__(found)
        self.by_words_alone = by_words_alone
        self.embedder_away = embedder_away
        self.explained = explained
