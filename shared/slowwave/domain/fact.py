"""A fact: what is believed, in versions that open and close on two time axes."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from slowwave.brief import brief, since, sure
from slowwave.domain.claim import Form, Source, Tense
from slowwave.domain.scope import Scope

SUMMARY = "summary"
"""The predicate of what is held of a whole session: a fact about it, not about anybody."""


@dataclass(frozen=True, slots=True)
class Fact:
    """One version of a belief.

    *id* is the id of the delta that asserted it, and stays the same when a part of its time is carved away.
    *valid_from* to *valid_to* is when it was so in the world, *recorded_from* to *recorded_to* when we believed it;
    an end of None is open. *confidence* is P(true) when it was asserted and never changes. *session* is the one in
    which it was said, *scope* says which agent believes it, in which channel. *text* is the fact in words, as it was
    asserted; *tense* tells whether it was so when it was said. A fact of *form* `statement` is known by its text.
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
            self, self.text, since(self.valid_from), since(self.valid_to, "until"), sure(self.confidence), id=self.id
        )


def in_words(subject: str, predicate: str, object_: str) -> str:
    """Return a typed fact in words.

    >>> in_words("Nora", "lives_in", "Lisbon")
    'Nora lives in Lisbon'
    """
    return f"{subject} {predicate.replace('_', ' ')} {object_}"
