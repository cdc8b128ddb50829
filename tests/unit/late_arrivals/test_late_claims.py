"""Late claims find their place in time, and stored claims are read again."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slowwave.core.fold import Decision, Fold
from slowwave.core.predicates import Predicates
from slowwave.core.time_spans import END
from slowwave.domain.claim import Claim, Source
from slowwave.store.beliefs import stated_claims
from slowwave.store.beliefs.apply import payload_of
from tests.unit.core.histories import NOON, REGISTERED, claim, histories, outlines, rebuilt
from tests.unit.core.news.happenings import KEPT, MATTERS, happenings, news, stated
from tests.unit.late_arrivals.ledgers import NEWSY, Ledger, beliefs, endings, remembered


@dataclass(frozen=True)
class Delayed:
    """A history in which the claims at *late* positions arrive after *seen* of the others, in that order."""

    claims: Sequence[Claim]
    late: Sequence[tuple[frozenset[int], int]]
    predicates: Predicates = REGISTERED


@st.composite
def delays(draw: st.DrawFn, times: int = 1, *, newsy: bool = False) -> Delayed:
    """Return a history with late positions, in one batch or more; *newsy*: with news that is stored."""
    claims = draw(happenings(largest=10, effects=KEPT) if newsy else histories(largest=10))
    positions = sorted({claim.source.position for claim in claims})
    late, taken = [], set[int]()
    for _ in range(times):
        batch = draw(st.frozensets(st.sampled_from(positions), min_size=1, max_size=2)) - taken
        taken |= batch
        late.append((batch, draw(st.integers(0, len(claims)))))
    return Delayed(claims, late, MATTERS if newsy else REGISTERED)


def delayed(history: Delayed) -> Ledger:
    """Return the ledger after a history with late claims."""
    late = frozenset[int]().union(*(positions for positions, _ in history.late))
    timely = [claim for claim in history.claims if claim.source.position not in late]
    ledger, told = Ledger(predicates=history.predicates), 0
    for positions, seen in sorted(history.late, key=lambda batch: batch[1]):
        after = max(positions, default=0)
        upto = max(seen, sum(claim.source.position < after for claim in timely))
        ledger.tell(timely[told:upto])
        told = max(told, upto)
        ledger.tell_late([claim for claim in history.claims if claim.source.position in positions])
    ledger.tell(timely[told:])
    return ledger


def in_time(history: Delayed) -> Ledger:
    """Return the ledger of the same history without late claims."""
    ledger = Ledger(predicates=history.predicates)
    ledger.tell(history.claims)
    return ledger


@NEWSY
@given(st.data())
def test_late_claims_leave_the_same_beliefs_as_timely_claims(newsy: bool, data: st.DataObject) -> None:
    history = data.draw(delays(times=3, newsy=newsy))

    assert beliefs(delayed(history)) == beliefs(in_time(history))


@NEWSY
@given(st.data())
def test_late_claims_leave_the_same_state_for_later_claims_and_a_sound_ledger(newsy: bool, data: st.DataObject) -> None:
    history = data.draw(delays(times=2, newsy=newsy))
    late, timely = delayed(history), in_time(history)

    assert remembered(late) == remembered(timely)
    assert endings(late) == endings(timely)
    assert rebuilt([row.decision for row in late.rows]) == outlines(late.held())


def test_the_later_of_two_claims_is_believed_even_if_the_earlier_one_arrives_last() -> None:
    early, last = claim("Oslo", position=1), claim("Rome", position=2)

    ledger = delayed(Delayed([early, last], [(frozenset({1}), 2)]))

    assert [version.object for version in ledger.held()] == ["Rome"]


def test_news_before_a_plan_does_not_close_the_plan_that_arrives_late() -> None:
    plan = stated("The user wants a Honda", verb="want")
    told = [plan, news("bought Honda", "fulfil", position=2), claim("Oslo", predicate="lives_in", position=3)]

    late = delayed(Delayed(told, [(frozenset({1}), 2)], MATTERS))

    assert plan.text in [version.text for version in late.held() if version.valid.end == END]


MORE = Source(uuid.uuid5(uuid.NAMESPACE_OID, "more"), "e0", 7, 3, 9)
FULL = replace(
    claim("Rome", day=1, until=3, position=9, ordinal=4, form="statement"),
    certainty="implied", confidence=0.85, rule="pack/rule@2", more_sources=(MORE,), tense="past", wrong="Oslo",
    mode="correct", effect="move", role="brother",
)  # fmt: skip
RESOLVED = replace(claim("Oslo"), mode="correct", predicate="*", text="", single_valued=False)
CLAIMS = [FULL, RESOLVED, claim("Oslo", predicate="lived_in"), replace(claim("x", mode="end"), text="no longer x")]


def reread(decision: Decision) -> Claim:
    """Return the claim behind a decision as the store reads it back."""
    told = json.loads(json.dumps(payload_of(decision, "pack")))
    item = json.loads(json.dumps(stated_claims.review_fields(decision, NOON)))
    return stated_claims.claim(
        told, mode=decision.claim.mode, confidence=decision.claim.confidence, rule=decision.claim.rule,
        sources=item["sources"], since=NOON,
    )  # fmt: skip


@pytest.mark.parametrize("told", CLAIMS)
def test_a_stored_claim_is_read_back_unchanged(told: Claim) -> None:
    fold = Fold(predicates=REGISTERED)
    fold.decide(claim("Lisbon"))

    decisions = fold.decide(told)

    assert [reread(decision) for decision in decisions] == [told] * len(decisions)


def test_a_stored_claim_keeps_all_fields() -> None:
    blank = Claim(
        subject="", predicate="", object="", mode="assert", certainty="explicit", confidence=0.95, valid_from=NOON,
        valid_to=None, single_valued=True, rule="", session="", source=FULL.source, ordinal=0,
    )  # fmt: skip
    same = {field.name for field in fields(Claim) if getattr(FULL, field.name) == getattr(blank, field.name)}

    assert same == {"source", "origins"}  # the episode's own words; only jobs have origins


def test_only_claims_of_packs_are_stored() -> None:
    (decision,) = Fold(predicates=REGISTERED).decide(claim("Lisbon"))

    assert "claim" in payload_of(decision, "everyday")
    assert "claim" not in payload_of(decision, "_patterns")
    assert "claim" not in payload_of(replace(decision, again=decision.id), "everyday")
    assert "claim" not in payload_of(replace(decision, original_claim=None), "everyday")
