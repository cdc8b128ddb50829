"""A stored claim is read back as it was made."""

import json
import uuid
from dataclasses import fields, replace

import pytest

from slowwave.core.fold import Decision, Fold
from slowwave.domain.claim import Claim, Source
from slowwave.store.beliefs import stated_claims
from slowwave.store.beliefs.apply import payload_of
from tests.unit.core.histories import NOON, REGISTERED, claim

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
