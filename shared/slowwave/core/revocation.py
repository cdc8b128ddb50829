"""Revocation of promotions: a source is gone, or no longer enough by what the thresholds are now."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from slowwave.core.fold import Decision, Fingerprint, Version
from slowwave.core.promotion import NAMESPACE, Candidate, Evidence, Look, Promotion, Thresholds
from slowwave.core.timeline import END
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Source


@dataclass(frozen=True, slots=True)
class Review:
    """A promotion in force that is *due* to be looked at.

    *fact* is what holds in `_global`; *versions* are its open ones and *sources* the words it rests on. *taken* means
    that it is there by promotion alone: no episode of `_global` said it first or again. *beside* are the promotions
    in force that hold the same fact, this one among them. *waived* means that a person promoted it, whatever the
    thresholds say; *evidence* is what there was then. *source* is None where nothing is left of it that is so now.
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
    """The outcome of a review: *undone*, with the reason, or due *again* when what is left of the promotion ends.

    *policy* replaces what the decision was made by, where it was made anew.
    """

    review: Review
    undone: str | None = None
    again: datetime | None = None
    policy: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Settlement:
    """The rows a promoting run writes beside its deltas: promotions made, reviews' outcomes, candidates looked at."""

    made: Sequence[Promotion] = ()
    verdicts: Sequence[Verdict] = ()
    looks: Sequence[Look] = ()


def judge(review: Review, thresholds: Thresholds, policy: Mapping[str, Any]) -> Verdict:
    """Return the verdict on a promotion under *thresholds*: it stands, or is revoked with the reason."""
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
    """Return the deletes that *verdicts* lead to: of facts that nothing but the undone promotions holds up."""
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
