"""Versions of what is held, and the decisions that close and open them."""

import uuid
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from slowwave.core.beliefs.identity import BeliefKey
from slowwave.core.timeline import Span
from slowwave.domain.claim import Claim, Form, Tense


@dataclass(frozen=True, slots=True)
class Version:
    """An open version of a fact, as the fold needs it.

    *position* and *session* are of the episode behind it; *row* is where the store keeps it, None until it does. Two
    that differ in *text* alone are equal: a statement is known by its key, and how a typed fact reads tells nothing.
    *ended_by* is the decision that ended it, where its valid time ends with one.
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
        """The beginning of its valid time."""
        return self.valid.start

    def without(self, carved: Span, by: uuid.UUID) -> list["Version"]:
        """Return what is left beside a span that the decision *by* has *carved* out; *by* ended what is before it."""
        return [
            replace(self, valid=rest, row=None, ended_by=by if rest.end == carved.start else self.ended_by)
            for rest in self.valid.without(carved)
        ]


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one claim: its delta, and the versions of facts that it closes and opens.

    *id* is derived from the episode, the pack and the claim's ordinal, so that a repeat makes the same decision
    under the same id. *closes* are the versions that stop being believed, *opens* those that begin to be; the first
    of them is the new fact of an add or update. *about* is the fact a noop confirms. `review` means that what is
    replaced cannot be told for certain: nothing changes and a person decides; *among* are the facts it may be.

    *said* is the claim as the fold heard it, None for what no fold decided. A decision made *again*, since a claim came
    late, names the first one about that claim, which it takes the place of. *place* is where the claim stands among all
    that was told, if that is before the time at which the decision is recorded.
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


def take_out(version: Version, held: list[Version]) -> None:
    """Take *version* out of what is *held*, where it mostly stands itself: to compare a long history takes long."""
    place = next((place for place, one in enumerate(held) if one is version), None)
    held.pop(held.index(version) if place is None else place)
