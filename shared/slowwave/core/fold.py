"""Claims, one after the other, over what is held: each sees the result of those before it.

Belief is ordered by valid time, ties by the order in which the claims arrive. A claim about the past lands in
history; it does not overwrite the present. The outcome depends on the sequence of claims alone, never on how it
was cut into windows.
"""

import uuid
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from slowwave.core.beliefs.identity import BeliefKey, belief_key, identity, means, normal, text_of
from slowwave.core.timeline import ALWAYS, END, Span
from slowwave.domain.claim import Claim, Form, Tense

RECENT_POSITIONS = 6
"""How far back, in episodes of one session, "no, I meant …" may point: three exchanges."""

FORGOTTEN = "this was forgotten on request and is not learned again"

Fingerprint = Callable[[str, str, str], bytes]
"""Subject, predicate, object to bytes that cannot be guessed back; equal for equal normalised text."""


def plain_fingerprint(subject: str, predicate: str, object: str) -> bytes:
    """Return an unkeyed fingerprint, for tests and cases. The store uses one keyed by tenant."""
    return "\x1f".join((normal(subject), predicate, normal(object))).encode()


@dataclass(frozen=True, slots=True)
class Version:
    """An open version of a fact, as the fold needs it.

    *position* and *session* are of the episode behind it; *row* is where the store keeps it, None until it does.
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
    text: str = ""
    tense: Tense = "current"


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision about one claim: its delta, and the versions of facts that it closes and opens.

    *id* is derived from the episode, the pack and the claim's ordinal, so that a repeat makes the same decision
    under the same id. *closes* are the versions that stop being believed, *opens* those that begin to be; the first
    of them is the new fact of an add or update. *about* is the fact a noop confirms. `review` means that what is
    replaced cannot be told for certain: nothing changes and a person decides.
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


Derive = Callable[[Claim, int], uuid.UUID]
"""The claim, and the number of the decision about it, to the id of that decision."""


def plain_id(claim: Claim, number: int) -> uuid.UUID:
    """Return an id for tests and cases. The store derives one that is unique across scopes and packs."""
    return uuid.uuid5(claim.source.episode, f"{claim.ordinal}/{number}")


@dataclass(slots=True)
class Fold:
    """The working state of one run.

    What is *held*; when what was ended (*ends*, by fingerprint) and when what is held was said again (*confirmed*, by
    fact): a claim about the time before does not reach past either. And what was *forgotten*.
    """

    held: dict[BeliefKey, list[Version]] = field(default_factory=dict)
    ends: dict[bytes, list[datetime]] = field(default_factory=dict)
    confirmed: dict[uuid.UUID, list[datetime]] = field(default_factory=dict)
    forgotten: set[bytes] = field(default_factory=set)
    fingerprint: Fingerprint = plain_fingerprint
    derive: Derive = plain_id

    def hold(self, versions: Iterable[Version]) -> None:
        """Add the open versions that the store holds."""
        for version in versions:
            self.held.setdefault(version.key, []).append(version)

    def decide(self, claim: Claim) -> list[Decision]:
        """Return the decisions about *claim*, and remember them for the claims that follow.

        One decision, but for a claim that ends or forgets several beliefs at once: one for each of them.
        """
        decisions = self.weigh(claim)
        for decision in decisions:
            for version in decision.closes:
                self.held[version.key].remove(version)
            for version in decision.opens:
                self.held.setdefault(version.key, []).append(version)
            if claim.mode == "forget":
                self.forgotten.add(decision.fingerprint)
            elif claim.mode == "end":
                self.ends.setdefault(decision.fingerprint, []).append(claim.valid_from)
            if decision.kind == "noop" and decision.about:
                self.confirmed.setdefault(decision.about, []).append(claim.valid_from)
        return decisions

    def weigh(self, claim: Claim) -> list[Decision]:
        """Return the decisions that `decide` would make, and remember nothing."""
        if claim.form == "statement" and claim.mode in ("correct", "end"):
            return [self._noop(claim, _key(claim), "a statement corrects and ends nothing")]
        return _MODES[claim.mode](self, claim)

    def believed(self, at: datetime) -> list[Version]:
        """Return the open versions that hold at *at*."""
        return [v for versions in self.held.values() for v in versions if v.valid.covers(at)]

    # asserting

    def _assert(self, claim: Claim) -> list[Decision]:
        key, print_ = _key(claim), self._print(claim)
        if print_ in self.forgotten:
            return [self._noop(claim, key, FORGOTTEN)]
        covering = next((v for v in self.held.get(key, ()) if v.valid.covers(claim.valid_from)), None)
        if covering and _said(covering) == _said(claim):
            return [self._confirm(claim, key, covering)]
        span = Span(claim.valid_from, self._end_of(claim, key, covering))
        if covering is None:
            return [self._open(claim, key, span, None, "new")]
        return [self._open(claim, key, span, covering, f"{claim.predicate} holds one value at a time")]

    def _end_of(self, claim: Claim, key: BeliefKey, covering: Version | None) -> datetime:
        """Until when a new belief holds: the next thing known about it, or for ever."""
        about = (self._print(claim), self.fingerprint(*identity(claim)[:2], ""))
        known = [version.valid.start for version in self.held.get(key, ())]
        known += [end for print_ in about for end in self.ends.get(print_, ())]
        known += [self._last_of(covering, claim.valid_from)] if covering else []
        known += [claim.valid_to] if claim.valid_to else []
        return min((instant for instant in known if instant > claim.valid_from), default=END)

    def _last_of(self, version: Version, since: datetime) -> datetime:
        """Return the end of what a claim about *since* touches of *version*: when it was said again, or its end."""
        begin = max(since, version.valid.start)
        again = (at for at in self.confirmed.get(version.fact, ()) if begin < at < version.valid.end)
        return min(again, default=version.valid.end)

    # correcting

    def _correct(self, claim: Claim) -> list[Decision]:
        wrong, key = self._meant(claim), _key(claim)
        if len(wrong) > 1:
            reason = f"a correction that could mean any of {len(wrong)} beliefs"
            return [Decision(self.derive(claim, 0), "review", claim, key, self._print(claim), reason)]
        if not wrong:
            return [self._noop(claim, key, "nothing to correct")] if claim.predicate == "*" else self._assert(claim)
        (old,) = wrong
        single = old.key[2] is None
        claim = replace(claim, subject=old.subject, predicate=old.predicate, single_valued=single)
        key = _key(claim)
        if _said(old) == _said(claim):
            return [self._confirm(claim, key, old)]
        if self._print(claim) in self.forgotten:
            return [self._noop(claim, key, FORGOTTEN)]
        wrong_span = Span(old.valid.start, self._last_of(old, claim.valid_from))
        if not single and any(v.valid.overlaps(wrong_span) for v in self.held.get(key, ())):
            return [self._delete(claim, 0, old, wrong_span, "corrected: what is right is already held")]
        return [self._open(claim, key, wrong_span, old, "corrected: it never was so")]

    def _meant(self, claim: Claim) -> list[Version]:
        """The beliefs a correction may point at: the one value held, else what was said last in this session."""
        if claim.single_valued and claim.predicate != "*":
            return [v for v in self.held.get(_key(claim), ()) if v.valid.covers(claim.valid_from)]
        return self._latest(claim)

    def _latest(self, claim: Claim) -> list[Version]:
        said = [
            version
            for (subject, *_), versions in self.held.items()
            if subject == normal(claim.subject)
            for version in versions
            if version.session == claim.session
            and version.form == claim.form
            and claim.predicate in ("*", version.predicate)
            and claim.source.position - RECENT_POSITIONS <= version.position < claim.source.position
        ]
        last = max((version.position for version in said), default=0)
        return [version for version in said if version.position == last]

    # ending and forgetting

    def _end(self, claim: Claim) -> list[Decision]:
        targets = [v for v in self._targets(claim) if v.valid.covers(claim.valid_from)]
        return [
            self._delete(claim, number, version, self._rest_of(version, claim.valid_from), "no longer so")
            for number, version in enumerate(targets)
        ] or [self._unheld(claim, "nothing held to end")]

    def _rest_of(self, version: Version, since: datetime) -> Span:
        return Span(since, self._last_of(version, since))

    def _forget(self, claim: Claim) -> list[Decision]:
        meant = {(version.key, _said(version)) for version in self._targets(claim)}
        whole = [v for key in {key for key, _ in meant} for v in self.held[key] if (key, _said(v)) in meant]
        facts = {version.fact: version for version in sorted(whole, key=_told)}
        return [
            self._delete(claim, number, version, ALWAYS, "forgotten on request")
            for number, version in enumerate(facts.values())
        ] or [self._unheld(claim, "nothing held to forget")]

    def _targets(self, claim: Claim) -> list[Version]:
        if claim.predicate == "*":
            about = self._latest(claim)
        else:
            about = [v for held, versions in self.held.items() if held[:2] == _key(claim)[:2] for v in versions]
        about.sort(key=_told)
        return [v for v in about if means(v, claim.object)]

    def _unheld(self, claim: Claim, reason: str) -> Decision:
        return replace(self._noop(claim, _key(claim), reason), valid=Span(claim.valid_from))

    # making decisions

    def _print(self, claim: Claim) -> bytes:
        return self.fingerprint(*identity(claim))

    def _noop(self, claim: Claim, key: BeliefKey, reason: str) -> Decision:
        return Decision(self.derive(claim, 0), "noop", claim, key, self._print(claim), reason)

    def _confirm(self, claim: Claim, key: BeliefKey, held: Version) -> Decision:
        confirmed = self._noop(claim, key, "already held")
        return replace(confirmed, about=held.fact, valid=Span(claim.valid_from))

    def _open(self, claim: Claim, key: BeliefKey, span: Span, old: Version | None, reason: str) -> Decision:
        id_ = self.derive(claim, 0)
        new = Version(
            id_, key, claim.subject, claim.predicate, claim.object, span, claim.confidence,
            claim.source.own_position, claim.session, claim.rule,
            form=claim.form, text=text_of(claim), tense=claim.tense,
        )  # fmt: skip
        if old is None:
            return Decision(id_, "add", claim, key, self._print(claim), reason, valid=span, opens=(new,))
        opens = (new, *(replace(old, valid=rest, row=None) for rest in old.valid.without(span)))
        return Decision(
            id_, "update", claim, key, self._print(claim), reason,
            replaces=(old.fact,), valid=span, closes=(old,), opens=opens,
        )  # fmt: skip

    def _delete(self, claim: Claim, number: int, old: Version, span: Span, reason: str) -> Decision:
        about = replace(old, object=claim.object) if claim.mode == "end" and claim.predicate != "*" else old
        closes = tuple(v for v in self.held[old.key] if v.fact == old.fact and v.valid.overlaps(span))
        return Decision(
            self.derive(claim, number), "delete", claim, old.key,
            self.fingerprint(*identity(about)), reason,
            about=old.fact, replaces=(old.fact,), valid=span, closes=closes,
            opens=tuple(replace(v, valid=rest, row=None) for v in closes for rest in v.valid.without(span)),
        )  # fmt: skip


def _key(claim: Claim) -> BeliefKey:
    return belief_key(*identity(claim), single_valued=claim.single_valued)


def _said(belief: Version | Claim) -> str:
    """The words that two who hold the same place must share to say the same."""
    return normal(identity(belief)[2])


def _told(version: Version) -> tuple[int, uuid.UUID, Span]:
    """The order in which versions were told, whatever the order they are held in."""
    return version.position, version.fact, version.valid


_MODES: Mapping[str, Callable[[Fold, Claim], list[Decision]]] = {
    "assert": Fold._assert,
    "correct": Fold._correct,
    "end": Fold._end,
    "forget": Fold._forget,
}
