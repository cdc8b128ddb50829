"""The explanation of a belief: its deltas, the rules of the deltas, and the words of the episodes."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from slowwave.domain.claim import Form, Origin, Tense
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many, probability_text, since
from slowwave.former_names import warn_of_former


@dataclass(frozen=True, slots=True)
class Evidence:
    """The words of an episode that support a delta, and the episode's whole content.

    The *words* begin at the character *start* of *content*. *channel* is set only if the episode and the delta are in
    different channels.
    """

    episode: uuid.UUID
    key: str
    position: int
    occurred: datetime
    session: str
    speaker: str
    content: str
    words: str
    channel: str | None = None
    start: int = 0

    def __repr__(self) -> str:
        return brief(self, self.words, f"by {self.speaker}", since(self.occurred, "on"), id=self.episode)


@dataclass(frozen=True, slots=True)
class MissingEpisode:
    """An episode that a delta cites and that is not stored any more.

    If *erased* is False, retention dropped the month in which the episode was *received*.
    """

    episode: uuid.UUID
    position: int
    received: datetime
    erased: bool

    def __repr__(self) -> str:
        return brief(self, "erased" if self.erased else f"dropped with {self.received:%Y-%m}", id=self.episode)

    def __str__(self) -> str:
        """Return the reason as a sentence.

        >>> print(MissingEpisode(uuid.UUID(int=1), 7, datetime(2026, 3, 2), erased=False))
        The month 2026-03 of episode 7 was dropped: the retention periods of all its conversations were over.
        """
        if self.erased:
            return f"Episode {self.position} was erased."
        month = f"The month {self.received.astimezone(UTC):%Y-%m} of episode {self.position} was dropped"
        return f"{month}: the retention periods of all its conversations were over."


@dataclass(frozen=True, slots=True)
class Replaced:
    """A replaced fact in words. *rule* is the rule that found the fact, and *recorded* is its recording time."""

    fact: uuid.UUID
    text: str
    rule: str
    recorded: datetime

    def __repr__(self) -> str:
        return brief(self, self.text, f"by {self.rule}", id=self.fact)


@dataclass(frozen=True, slots=True)
class Step:
    """One delta in the history of a fact, with the belief in words, and the facts that the delta replaced.

    *evidence* has the cited words that are still stored, and *missing* the cited episodes that are not.
    """

    delta: uuid.UUID
    kind: str
    text: str
    rule: str
    reason: str
    confidence: float
    recorded: datetime
    run: int | None
    replaces: Sequence[Replaced]
    evidence: Sequence[Evidence]
    origins: Sequence[Origin] = ()
    missing: Sequence[MissingEpisode] = ()

    def __repr__(self) -> str:
        return brief(self, self.kind, self.text, f"by {self.rule}", probability_text(self.confidence), id=self.delta)


@dataclass(frozen=True, slots=True)
class Explanation:
    """The explanation of a fact: its words, its form, whether it is *believed* now, and all deltas about it.

    *scope* is the scope that believes or believed the fact. If *until* is set, the fact was true only until that time.
    """

    fact: uuid.UUID
    text: str
    believed: bool
    steps: Sequence[Step]
    form: Form = "typed"
    tense: Tense = "current"
    scope: Scope | None = None
    until: datetime | None = None

    @property
    def held(self) -> bool:
        """The former name of `believed`."""
        warn_of_former("held", "believed")
        return self.believed

    def __repr__(self) -> str:
        state = "believed" if self.believed else "no longer believed"
        return brief(self, self.text, state, many(len(self.steps), "delta"), id=self.fact)
