"""A recalled memory, with its score, its reasons and its sources."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.brief import brief
from slowwave.domain.claim import Form, Source
from slowwave.domain.episode import Role
from slowwave.domain.explained.recall import Explained
from slowwave.domain.scope import Scope

Remembered = Literal["fact", "typed", "statement", "episode"]
"""What may be asked for: facts of either form, or of one, and episodes."""


def ending(until: datetime | None) -> str:
    """Return in words until when it was so, by the day there; nothing of what holds.

    >>> ending(datetime(2026, 2, 20, 9)), ending(None)
    (' (so until 20 Feb 2026)', '')
    """
    return f" (so until {until.day} {until:%b %Y})" if until else ""


@dataclass(frozen=True, slots=True)
class Recollection:
    """One answer to a question.

    *score* lies in [0, 1] and means the same for every question: so many of a hundred memories that score as much
    answer, measured on dialogue with the default weights. *reasons* are the parts it was made of, by name
    (`similarity`, `keyword`, `recency`, `contiguity`, `speaker`, …), each in [0, 1] before weighting. *sources* point
    at the episodes behind it; for an episode that is the episode itself. An episode that no worker has prepared yet has
    the reason `embedded_at_recall`, and what is found while the embedder is away has `embedder_away`, each 1.0, which
    counts for nothing. *scope* is where it is remembered: by which agent, in which channel. *form* tells a typed fact
    from a statement. *session* is where it was said or learned; *role* is who spoke, of an episode. *match* is how well
    it matches this question among others, in [0, 1]: the score is made of it. All that was believed of an episode held
    *until* then, and holds no longer; what ended it stands above it, unless the question asks for what was.
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
    def told(self) -> str:
        """The text, and until when it was so where it holds no longer."""
        return f"{self.text}{ending(self.until)}"

    def __repr__(self) -> str:
        return brief(self, self.kind, self.told, f"score {self.score:.2f}", id=self.id)


class Recollections(list[Recollection]):
    """The answers to one question, best first.

    *by_words_alone* is how many episodes could not be looked at by meaning, because more are unprepared than a question
    can wait for: they are the oldest of those, and found by their words. *embedder_away* says that nobody could tell
    what the question means: all of it was found by words. *explained* says how it came to them, where that was asked.
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
