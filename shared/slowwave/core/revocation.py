"""Revocation of promotions: the source is gone, or no longer meets the thresholds."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from slowwave.core.fold import Decision, Fingerprint, Version
from slowwave.core.promotion import NAMESPACE, Candidate, Evidence, Look, Promotion, Thresholds
from slowwave.core.time_spans import END
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Source


@dataclass(frozen=True, slots=True)
class Review:
    """A promotion in force whose review is *due*.

    *fact* is the fact held in `_global`; *versions* are its open ones and *sources* its source words. *taken* means
    that it is there only by promotion: no episode of `_global` said it first or confirmed it. *beside* are all
    promotions in force that hold the same fact, including this one. *waived* means that a person promoted it despite
    the thresholds; *evidence* is the evidence at that time. *source* is None if nothing of it is valid any more.
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
    """The outcome of a review: *undone*, with the reason, or due *again* when the rest of the promotion ends.

    *policy* replaces the thresholds of the decision, if it was made again.
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
    looks: Sequence[Look] = ()


def judge(review: Review, thresholds: Thresholds, policy: Mapping[str, Any]) -> Verdict:
    """Return the verdict on a promotion under *thresholds*: keep it, or revoke it with a reason."""
    source = review.source
    if source is None:
        return Verdict(review, undone="what it was promoted from is no longer believed")
    again = None if source.valid.end == END else source.valid.end
    if review.waived:
        return Verdict(review, again=again)
    evidence = source.evidence.or_more(review.evidence)
    if unmet := thresholds.unmet(**asdict(evidence)):
        return Verdict(review, undone=f"no longer enough to be known everywhere: {', '.join(unmet)}")
    return Verdict(review, again=again, policy={**policy, **asdict(evidence)})


def withdrawals(
    verdicts: Sequence[Verdict], *, target: uuid.UUID, rule: str, at: datetime, fingerprint: Fingerprint
) -> list[Decision]:
    """Return the decisions to delete the facts that only revoked promotions among *verdicts* supported."""
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
