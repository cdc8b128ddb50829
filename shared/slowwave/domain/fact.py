"""A fact: a belief in versions that open and close on two time axes."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.domain.claim import Form, Source, Tense
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, probability_text, since

SUMMARY = "summary"
"""The predicate of a summary: a belief about a whole session, not about a person."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of a belief.

    *id* is the id of the delta that asserted the fact. It stays the same when a part of the valid time is cut off. The
    fact is true in the world from *valid_from* to *valid_to*, and believed from *recorded_from* to *recorded_to*. If an
    end is None, the range is open. *confidence* is the probability that the fact is true. It was estimated at the
    assertion and never changes. *session* is the session of the assertion, and *scope* is the scope that believes the
    fact. *text* is the fact in words, as it was asserted. *tense* says whether the fact was true at the time of the
    assertion. The text identifies a fact of *form* `statement`.
    """

    id: uuid.UUID
    subject: str
    predicate: str
    object: str
    valid_from: datetime
    valid_to: datetime | None
    recorded_from: datetime
    recorded_to: datetime | None
    confidence: float
    rule: str
    session: str
    sources: Sequence[Source]
    scope: Scope
    text: str
    form: Form = "typed"
    tense: Tense = "current"

    def __repr__(self) -> str:
        return brief(
            self,
            self.text,
            since(self.valid_from),
            since(self.valid_to, "until"),
            probability_text(self.confidence),
            id=self.id,
        )


def in_words(subject: str, predicate: str, object_: str) -> str:
    """Return a typed fact in words.

    >>> in_words("Nora", "lives_in", "Lisbon")
    'Nora lives in Lisbon'
    """
    return f"{subject} {predicate.replace('_', ' ')} {object_}"
