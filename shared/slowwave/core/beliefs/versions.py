"""Versions of beliefs, and the decisions that close and open them."""

import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from slowwave.core.beliefs.identity import BeliefKey
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim, Form, Tense


@dataclass(frozen=True, slots=True)
class Version:
    """An open version of a fact, as the fold needs it.

    *position* and *session* are those of its episode; *row* is its row in the store, None before it is stored. Versions
    that differ only in *text* are equal: a statement is identified by its key, and a typed fact's wording has no
    meaning of its own. *ended_by* is the decision that ended it, if its valid time ends with one.
    """

    fact: uuid.UUID
    key: BeliefKey
    subject: str
    predicate: str
    object: str
    valid: Span
    confidence: float
    position: int
    session: str
    rule: str
    row: int | None = None
    form: Form = "typed"
    text: str = field(default="", compare=False)
    ended_by: uuid.UUID | None = field(default=None, compare=False)
    tense: Tense = "current"

    @property
    def begins(self) -> datetime:
        """The start of its valid time."""
        return self.valid.start

    def without(self, carved: Span, by: uuid.UUID) -> list["Version"]:
        """Return the parts that remain outside a span that the decision *by* has *carved* out; *by* ended the part
        before it.
        """
        return [
            replace(self, valid=rest, row=None, ended_by=by if rest.end == carved.start else self.ended_by)
            for rest in self.valid.without(carved)
        ]


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one claim: its delta, and the versions of facts that it closes and opens.

    *id* is derived from the episode, the pack and the claim's ordinal, so that a repeat makes the same decision under
    the same id. *closes* are the versions that are no longer believed, *opens* the new ones; the first of them is the
    new fact of an add or update. *about* is the fact that a noop confirms. `review` means that it is ambiguous which
    belief is replaced: nothing changes and a person decides; *among* are the possible facts. *said* is the claim as the
    fold received it, None for a decision that no fold made. A decision made *again* because of a late claim names the
    first decision about its claim, which it replaces. *place* is the position in time at which the claim is folded, if
    that is before the decision is recorded. *pack* is the claim's own, where the run that writes it has another.
    """

    id: uuid.UUID
    kind: Literal["add", "update", "delete", "noop", "review"]
    claim: Claim
    key: BeliefKey
    fingerprint: bytes
    reason: str
    about: uuid.UUID | None = None
    replaces: tuple[uuid.UUID, ...] = ()
    valid: Span | None = None
    closes: tuple[Version, ...] = ()
    opens: tuple[Version, ...] = ()
    among: tuple[uuid.UUID, ...] = ()
    said: Claim | None = None
    again: uuid.UUID | None = None
    place: datetime | None = None
    pack: str = ""


def remove_version(version: Version, believed: list[Version]) -> None:
    """Remove *version* from *believed*, by identity first: comparing a long history is slow."""
    place = next((place for place, one in enumerate(believed) if one is version), None)
    believed.pop(believed.index(version) if place is None else place)
