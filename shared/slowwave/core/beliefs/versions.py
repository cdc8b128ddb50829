"""Versions of beliefs, the decisions that close and open them, their reasons, and their sentences."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from slowwave.core.beliefs.identity import BeliefKey, ClaimOrVersion, belief_key, compared_words, normal, text_of
from slowwave.core.predicates import Predicates
from slowwave.core.predicates.sentences import USER
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Claim, Form, Tense

FORGOTTEN = "forgotten on request, so it is not learned again"
LESS_SURE = "less certain than the current fact"
UNSURE = "news that is less certain than the current fact; a person must decide"
NOTHING = "it names nothing specific"
KEPT = "the earlier value is kept"
KNOWN = "already known"
ASKED = "a person is already asked about the same words"
SAME_TURN = "its own turn says that it is true then too"
NAMESAKE = "the name may mean two people or things"
CONTRARY = "contradicts a current fact; a person must decide"
NAME = belief_key(USER, "name", "", single_valued=True)
"""The key of the belief that holds the user's name."""


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


def replacing(claim: Claim, closes: Sequence[Version]) -> str:
    """Return the reason why *claim* replaces the versions in *closes*."""
    if not closes:
        return "new"
    if closes[0].predicate != claim.predicate:
        return f"{claim.predicate} is the opposite of {closes[0].predicate}"
    if all(compared_words(version) == compared_words(claim) for version in closes):
        return "stated explicitly, where it was only a guess"
    return f"{claim.predicate} holds one value at a time"


def called(believed: Mapping[BeliefKey, Sequence[Version]]) -> str | None:
    """Return the user's believed name, or None; of several names the one with the longest validity."""
    known = believed.get(NAME, ())
    return max(known, key=lambda version: (version.valid.end, version.valid.start)).object if known else None


def worded(belief: ClaimOrVersion, predicates: Predicates, name: str | None, *, negated: bool = False) -> str:
    """Return a belief in words: its own text, else the sentence of its predicate, with the user's *name* in it.

    If it has no predicate or no object, its parts are joined instead.
    """
    if belief.text or belief.form == "statement" or belief.predicate == "*" or not belief.object:
        return text_of(belief)
    subject = belief.subject
    if predicates.of(belief.predicate).name == NAME[1] and normal(subject) in (USER, normal(belief.object)):
        subject, name = USER, None  # the name is not in use before this belief
    return predicates.sentence(subject, belief.predicate, belief.object, negated=negated, called=name)


def asserted(claim: Claim, predicates: Predicates, name: str | None) -> Claim:
    """Return an asserting *claim* with its text, which its decision and the versions opened by it use."""
    return claim if claim.text or claim.form == "statement" else replace(claim, text=worded(claim, predicates, name))


def in_words(decision: Decision, predicates: Predicates, name: str | None) -> Decision:
    """Return *decision* with the text of the belief that it asserts, ends or keeps."""
    claim = decision.claim
    if claim.text or claim.form == "statement":
        return decision
    if decision.kind == "delete" and claim.mode == "end":
        return replace(decision, claim=replace(claim, text=decision.closes[0].text)) if decision.closes else decision
    changed = replace(
        claim, text=worded(claim, predicates, name, negated=decision.kind != "delete" and claim.mode == "end")
    )
    if decision.kind not in ("add", "update"):
        return replace(decision, claim=changed)
    new, *rest = decision.opens
    return replace(decision, claim=changed, opens=(replace(new, text=changed.text), *rest))
