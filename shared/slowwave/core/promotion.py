"""Promotion of a fact of a project channel to `_global`, and its revocation when the source fact is gone."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from datetime import datetime
from typing import Any

from slowwave.core.beliefs.identity import fact_fields
from slowwave.core.fold import Decision, Fingerprint, Fold, Version
from slowwave.core.policy import Thresholds
from slowwave.core.time_spans import END, Span
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Certainty, Claim, Form, Origin, Source, Tense

NAMESPACE = "_promote"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact's values for the thresholds. The confidence is the stored confidence, and the counts never fall."""

    confidence: float
    accesses: int
    conversations: int

    def meets(self, thresholds: Thresholds) -> bool:
        """Return whether this evidence meets *thresholds*."""
        return not thresholds.unmet(**asdict(self))

    def or_more(self, other: "Evidence") -> "Evidence":
        """Return the greater value of each field, because a count stays even if the counted episodes are gone."""
        return Evidence(*map(max, astuple(self), astuple(other)))

    def __str__(self) -> str:
        return f"confidence {self.confidence:g}, {self.accesses} accesses, {self.conversations} conversations"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A promotion candidate: a fact of a project channel that is currently recorded and currently valid.

    *version* is the row of the fact, and *valid* is the valid time of the row. *confirmed_at* is the time of the last
    confirmation. Each source in *sources* names its scope. *earlier* is the number of earlier promotions. *by_hand* has
    the terms of a promotion by a person that ended because the fact was no longer believed.
    """

    scope: uuid.UUID
    channel: str
    fact: uuid.UUID
    version: int
    subject: str
    predicate: str
    object: str
    single_valued: bool
    valid: Span
    certainty: Certainty
    evidence: Evidence
    sources: Sequence[Source]
    confirmed_at: datetime | None = None
    earlier: int = 0
    form: Form = "typed"
    text: str = ""
    tense: Tense = "current"
    by_hand: Mapping[str, Any] | None = None

    def ready(self, thresholds: Thresholds) -> bool:
        """Return whether the evidence meets *thresholds*, or a person promoted the fact before."""
        return self.by_hand is not None or self.evidence.meets(thresholds)

    def claim(self, rule: str) -> Claim:
        """Return the fact as a claim for `_global`.

        In `_global`, the fact belongs to no session and has no position.
        """
        return Claim(
            **fact_fields(self),
            mode="assert",
            certainty=self.certainty,
            confidence=self.evidence.confidence,
            valid_from=self.valid.start,
            valid_to=None if self.valid.end == END else self.valid.end,
            rule=rule,
            session="",
            source=self.sources[0],
            ordinal=self.earlier,
            more_sources=tuple(self.sources[1:]),
            origins=(Origin("promoted_from", self.scope, self.fact),),
        )


@dataclass(frozen=True, slots=True)
class QueuedReview:
    """A memory of a project channel that waits in the promotion queue since *due*, with its *accesses* at that time.

    If the valid time of the memory starts in the future, *again* is this start. Then the memory is reviewed again.
    """

    scope: uuid.UUID
    memory: uuid.UUID
    due: datetime
    accesses: int
    again: datetime | None = None


@dataclass(frozen=True, slots=True)
class Promotion:
    """A promotion.

    *fact* is the fact that `_global` holds because of the promotion. *confirmed* is True if `_global` already held this
    fact. *policy* has the thresholds of the decision, as JSON values.
    """

    candidate: Candidate
    fact: uuid.UUID
    confirmed: bool
    reason: str
    policy: Mapping[str, Any]


def promoting(target: uuid.UUID, fold: Fold, *, without: Iterable[Version] = ()) -> Fold:
    """Return *fold*, which covers `_global`, without the versions in *without*.

    The ids of its decisions are derived from the promoted fact and the number of earlier promotions of this fact.
    """

    def derive(claim: Claim, _number: int) -> uuid.UUID:
        return uuid.uuid5(target, f"{NAMESPACE}/{claim.origins[0].memory}/{claim.ordinal}")

    gone = set(without)
    active = {key: [version for version in versions if version not in gone] for key, versions in fold.active.items()}
    return replace(fold, derive=derive, active=active)


def promote(
    fold: Fold, candidate: Candidate, *, rule: str, reason: str, policy: Mapping[str, Any], now: datetime
) -> tuple[Decision, Promotion] | None:
    """Return the decision about *candidate* in `_global`, and record the decision in *fold*.

    Return None if `_global` would not hold the fact, because the fact was forgotten, or because newer knowledge
    replaces it. Knowledge is newer if it came after the last confirmation of the fact.
    """
    claim = candidate.claim(rule)
    again = (
        [replace(claim, valid_from=candidate.confirmed_at)]
        if candidate.confirmed_at and claim.valid_from < candidate.confirmed_at
        else []
    )
    for variant in (claim, *again):
        (weighed,) = fold.weigh(variant)
        fact = weighed.about if weighed.kind == "noop" else weighed.id
        if fact is None or not _holds(fold, weighed, now):
            continue
        decided = replace(fold.decide(variant)[0], reason=f"{weighed.reason}; {reason}")
        confirmed = weighed.kind == "noop"
        return decided, Promotion(candidate, fact, confirmed, reason, {**policy, **asdict(candidate.evidence)})
    return None


def _holds(fold: Fold, weighed: Decision, now: datetime) -> bool:
    """Return whether the fact that the decision *weighed* adds or confirms is true *now*.

    *weighed* is not recorded yet.
    """
    if weighed.kind == "noop":
        return any(v.fact == weighed.about and v.valid.covers(now) for v in fold.active.get(weighed.key, ()))
    return weighed.valid is not None and weighed.valid.covers(now)


@dataclass(frozen=True, slots=True)
class Review:
    """A promotion in force whose review is *due*.

    *fact* is the fact that `_global` holds. *versions* are the open versions of the fact, and *sources* are its source
    words. *taken* is True if no episode of `_global` said or confirmed the fact, so that only promotions support it.
    *beside* are all promotions in force of the same fact, including this promotion. *waived* is True if a person
    promoted the fact despite the thresholds; *evidence* is the evidence at that time. *source* is None if no part of
    the source fact is valid any more.
    """

    promotion: int
    fact: uuid.UUID
    due: datetime
    taken: bool
    beside: frozenset[int]
    waived: bool
    evidence: Evidence
    source: Candidate | None
    versions: Sequence[Version]
    sources: Sequence[Source]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of a review.

    *undone* is the reason to revoke the promotion, or None. *again* is the time of the next review, when the remaining
    valid time ends. *policy* has the thresholds of a new decision, which replace the old ones.
    """

    review: Review
    undone: str | None = None
    again: datetime | None = None
    policy: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """The rows that a promoting run writes beside its deltas: promotions, review outcomes, reviewed candidates."""

    made: Sequence[Promotion] = ()
    verdicts: Sequence[Verdict] = ()
    queued: Sequence[QueuedReview] = ()


def judge(review: Review, thresholds: Thresholds, policy: Mapping[str, Any]) -> Verdict:
    """Return the verdict on a promotion under *thresholds*, which is to keep the promotion, or to revoke it with a
    reason.
    """
    source = review.source
    if source is None:
        return Verdict(review, undone="its source is no longer believed")
    again = None if source.valid.end == END else source.valid.end
    if review.waived:
        return Verdict(review, again=again)
    evidence = source.evidence.or_more(review.evidence)
    if unmet := thresholds.unmet(**asdict(evidence)):
        return Verdict(review, undone=f"it no longer meets the thresholds: {', '.join(unmet)}")
    return Verdict(review, again=again, policy={**policy, **asdict(evidence)})


def withdrawals(
    verdicts: Sequence[Verdict], *, target: uuid.UUID, rule: str, at: datetime, fingerprint: Fingerprint
) -> list[Decision]:
    """Return the decisions that delete facts, because *verdicts* revoked all promotions that supported them."""
    undone = {verdict.review.promotion for verdict in verdicts if verdict.undone}
    ended = {v.review.fact: v for v in verdicts if v.undone and v.review.taken and v.review.beside <= undone}
    return [
        withdraw(
            verdict.review.versions,
            id=uuid.uuid5(target, f"{NAMESPACE}/{fact}/undone"),
            rule=rule,
            reason=verdict.undone or "",
            at=at,
            sources=verdict.review.sources,
            fingerprint=fingerprint,
        )
        for fact, verdict in ended.items()
        if verdict.review.versions
    ]
