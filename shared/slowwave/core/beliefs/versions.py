"""Versions of beliefs, and decisions. A decision closes versions, which are then no longer believed, and opens new
versions.
"""

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
RETAINED = "the earlier value is kept"
KNOWN = "already known"
ASKED = "a person is already asked about the same words"
SAME_TURN = "its own turn says that it is true then too"
NAMESAKE = "the name may mean two people or things"
CONTRARY = "contradicts a current fact; a person must decide"
NAME = belief_key(USER, "name", "", single_valued=True)
"""The key of the belief that holds the user's name."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a fact that is believed now, with the fields for comparing the fact with claims.

    *position* and *session* belong to the episode of the fact. *row* is the version's row in the store, or None for a
    version that is not stored yet. *ended_by* is the id of the decision that ended the valid time, if there is one.
    Comparisons ignore *text* and *ended_by*: the key identifies a statement, and the wording of a typed fact has no
    meaning.
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
        """The time from which the version is true."""
        return self.valid.start

    @property
    def single_valued(self) -> bool:
        """True if only one value of the predicate is believed at a time."""
        return self.key[2] is None

    def without(self, carved: Span, by: uuid.UUID) -> list["Version"]:
        """Return the versions that remain when the decision with the id *by* removes the span *carved* from the valid
        time.

        The version before the span gets *by* as its *ended_by*.
        """
        return [
            replace(self, valid=rest, row=None, ended_by=by if rest.end == carved.start else self.ended_by)
            for rest in self.valid.without(carved)
        ]


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one claim: its delta, and the versions of facts that it closes and opens.

    *id* is derived from the episode, the pack and the claim's ordinal. Therefore a repeated run makes the same decision
    with the same id. *closes* has the versions that are no longer believed, and *opens* the new versions. For an add or
    update, the first new version is the new fact. For a noop, *about* is the confirmed fact. The kind `review` means
    that several beliefs could be replaced. In this case, no belief changes, and a person decides; *among* are the
    possible facts. *original_claim* is the claim as `Fold` received it, or None for a decision that `Fold` did not
    make. If this decision replaces an earlier decision because of a late claim, *again* is the id of the first decision
    about the same claim. *place* is the time at which the claim counts in the ledger, if this is earlier than the time
    at which the decision is recorded. *pack* names the claim's pack if a run of another pack writes the decision.
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
    original_claim: Claim | None = None
    again: uuid.UUID | None = None
    place: datetime | None = None
    pack: str = ""


def remove_version(version: Version, believed: list[Version]) -> None:
    """Remove *version* from *believed*.

    The search first compares with `is`, because comparing the values of a long history is slow.
    """
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
    """Return the user's believed name, or None. Of several names, return the name whose validity ends last."""
    known = believed.get(NAME, ())
    return max(known, key=lambda version: (version.valid.end, version.valid.start)).object if known else None


def worded(belief: ClaimOrVersion, predicates: Predicates, name: str | None, *, negated: bool = False) -> str:
    """Return a belief in words: its own text, or else a sentence made from its predicate. *name* is the user's name in
    this sentence.

    If the belief has no predicate or object, its parts are joined.
    """
    if belief.text or belief.form == "statement" or belief.predicate == "*" or not belief.object:
        return text_of(belief)
    subject = belief.subject
    if predicates.of(belief.predicate).name == NAME[1] and normal(subject) in (USER, normal(belief.object)):
        subject, name = USER, None  # the name is not in use before this belief
    return predicates.sentence(subject, belief.predicate, belief.object, negated=negated, called=name)


def asserted(claim: Claim, predicates: Predicates, name: str | None) -> Claim:
    """Return *claim*, which says that something is true, with a text. The decision about the claim and the new versions
    get the same text.
    """
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
