"""The typed delta of a decision: the only input of the ledger."""

from datetime import datetime
from typing import Any

from slowwave.core.beliefs.identity import text_of
from slowwave.core.fold import Decision
from slowwave.core.time_spans import BEGINNING, END
from slowwave.domain.delta import MemoryDelta, read_delta
from slowwave.errors import Incorrect


def typed_delta(decision: Decision, at: datetime) -> MemoryDelta:
    """Return *decision*, applied at *at*, as a validated delta. Raises `Incorrect` with every problem."""
    claim, span = decision.claim, decision.valid
    fields: dict[str, Any] = {
        "kind": decision.kind,
        "source_episode_ids": [str(source.episode) for source in (claim.source, *claim.more_sources)],
        "promotion_ts": at,
        "rule_id": claim.rule,
        "confidence": claim.confidence,
        "reason": decision.reason,
        "valid_from": None if span is None or span.start == BEGINNING else span.start,
        "valid_to": None if span is None or span.end == END else span.end,
    }
    if decision.kind in ("update", "delete"):
        fields["replaces"] = [str(fact) for fact in decision.replaces]
    if decision.kind in ("add", "update"):
        fields["fact_payload"] = payload(decision)
    try:
        return read_delta(fields)
    except Incorrect as error:
        hint = "correct the rule or model that makes this claim"
        raise Incorrect.listing(f"the delta of rule {claim.rule}", error.problems, hint=hint) from None


def payload(decision: Decision) -> dict[str, str | bool]:
    """Return the payload of a decision's delta: its fact."""
    claim = decision.claim
    text = decision.opens[0].text if decision.kind in ("add", "update") else text_of(claim)
    return {
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "single_valued": decision.key[2] is None,
        "form": claim.form,
        "text": text,
        "tense": claim.tense,
    }
