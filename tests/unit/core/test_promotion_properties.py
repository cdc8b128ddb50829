"""Promotion and revocation do not alternate on the same evidence."""

import uuid
from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.fold import Fold
from slowwave.core.policy import Thresholds
from slowwave.core.promotion import (
    Candidate,
    Evidence,
    Promotion,
    Review,
    judge,
    promote,
    promoting,
)
from slowwave.core.time_spans import Span
from slowwave.domain.claim import Source
from tests.unit.core.histories import DAY, NOON, claim

TERMS: Mapping[str, Any] = {"preset": "default"}
TARGET = uuid.uuid5(uuid.NAMESPACE_OID, "everywhere")

evidence = st.builds(Evidence, st.floats(0, 1), st.integers(0, 9), st.integers(0, 4))
thresholds = st.builds(Thresholds, st.floats(0, 1), st.integers(0, 9), st.integers(0, 4))


ENOUGH = Evidence(0.95, 5, 2)


def candidate(*, evidence: Evidence = ENOUGH, day: int = 0, said: int | None = None) -> Candidate:
    """Return a home that a channel holds since *day* days after noon, and that was last told on the day *said*."""
    return Candidate(
        scope=uuid.uuid5(uuid.NAMESPACE_OID, "trip"),
        channel="trip",
        fact=uuid.uuid5(uuid.NAMESPACE_OID, f"fact {day}"),
        version=1,
        subject="user",
        predicate="lives_in",
        object="Oslo",
        single_valued=True,
        valid=Span(NOON + day * DAY),
        certainty="explicit",
        evidence=evidence,
        sources=[Source(uuid.uuid5(uuid.NAMESPACE_OID, "e"), "e", 7, 0, 4, uuid.uuid5(uuid.NAMESPACE_OID, "trip"))],
        confirmed_at=None if said is None else NOON + said * DAY,
    )


def review(promotion: Promotion, now: Evidence, *, beside: frozenset[int] = frozenset({1})) -> Review:
    source = candidate(evidence=now)
    return Review(
        1, promotion.fact, NOON, True, beside, False, promotion.candidate.evidence, source, (), source.sources
    )


def promoted(fold: Fold, what: Candidate) -> Promotion | None:
    outcome = promote(promoting(TARGET, fold), what, rule="promote/x", reason="so", policy=TERMS, now=NOON + 9 * DAY)
    return None if outcome is None else outcome[1]


@given(thresholds, evidence, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_growing_evidence_never_revokes_a_promotion(
    terms: Thresholds, first: Evidence, growth: list[tuple[int, int]]
) -> None:
    if not first.meets(terms):
        return
    promotion = promoted(Fold(), candidate(evidence=first))
    assert promotion is not None
    now = first
    for accesses, conversations in growth:
        now = Evidence(now.confidence, now.accesses + accesses, now.conversations + conversations)
        assert judge(review(promotion, now), terms, TERMS).undone is None
        gone = Evidence(now.confidence, now.accesses, 0)  # its episodes are tombstoned, but still count
        assert judge(review(promotion, gone), terms, TERMS).undone is None


@given(thresholds, evidence, evidence)
def test_revoked_evidence_would_not_be_promoted(terms: Thresholds, then: Evidence, now: Evidence) -> None:
    promotion = promoted(Fold(), candidate(evidence=then))
    assert promotion is not None
    if judge(review(promotion, now), terms, TERMS).undone:
        assert not now.meets(terms)


@given(st.integers(-3, 3), st.none() | st.integers(-3, 3), st.lists(st.integers(-3, 3), max_size=4))
def test_the_latest_claim_of_any_channel_is_believed(day: int, said: int | None, homes: list[int]) -> None:
    fold = Fold()
    for number, when in enumerate(sorted(homes)):
        fold.decide(claim(f"Riga{number}", day=when, position=number + 1))
    before = {key: list(versions) for key, versions in fold.active.items()}
    what = candidate(day=day, said=said)
    newest = max([day, *([said] if said is not None else [])])

    fold = promoting(TARGET, fold)
    outcome = promote(fold, what, rule="promote/x", reason="so", policy=TERMS, now=NOON + 9 * DAY)

    present = [version.object for version in fold.believed(NOON + 9 * DAY)]
    if any(when > newest for when in homes):
        assert outcome is None
        assert fold.active == before  # an unpromoted fact leaves no row
    else:
        assert outcome is not None
        assert present == ["Oslo"]
