"""Claims as they were stated: stored with the delta or review about them, to be folded again after a late claim."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from slowwave.core.deltas import payload
from slowwave.core.fold import Decision
from slowwave.domain.claim import Claim, Source

OWN = "_"
"""The prefix of the packs of jobs and of work by hand: their decisions are not folded again."""


def claim_fields(decision: Decision, pack: str) -> dict[str, Any]:
    """Return the fields of a claim that the payload of *decision* stores besides its text; none for built-in jobs.

    The values are those before the fold resolved them.
    """
    said = decision.said
    if said is None or decision.again or pack.startswith(OWN):
        return {}
    known = payload(decision) | {"mode": decision.claim.mode}
    plain = {name: value for name in known if (value := getattr(said, name)) != known[name]}
    rare = {
        "to": said.valid_to and said.valid_to.isoformat(),
        "wrong": said.wrong,
        "effect": said.effect,
        "role": said.role,
    }
    told = {name: value for name, value in rare.items() if value}
    return {"claim": {"from": said.valid_from.isoformat(), "ordinal": said.ordinal, **told, **plain}}


def review_fields(decision: Decision, place: datetime) -> dict[str, Any]:
    """Return the other fields that a reviewer and a fold need: times, confidence, replaced facts, cited words.

    *place* is the claim's place in the order of telling.
    """
    claim = decision.claim
    return {
        "delta": str(decision.id),
        "mode": claim.mode,
        "confidence": claim.confidence,
        "valid_from": claim.valid_from.isoformat(),
        "among": [str(fact) for fact in decision.among],
        "rule": claim.rule,
        "stands_at": place.isoformat(),
        "sources": [_listed(source) for source in (claim.source, *claim.more_sources)],
    }


def claim(
    payload: Mapping[str, Any],
    *,
    mode: str,
    confidence: float,
    rule: str,
    sources: Sequence[Sequence[Any]],
    since: datetime,
) -> Claim:
    """Return the claim that a payload was stored for, with the words it cites; for a decision without a pack's claim,
    the claim that it stands for, valid *since* then.
    """
    fields = {"form": "typed", "text": "", "tense": "current", "mode": mode, **payload, **payload.get("claim", {})}
    first, *more = (_source(source) for source in sources)
    until = fields.get("to")
    return Claim(
        **{name: fields[name] for name in _WORDS},
        confidence=confidence,
        valid_from=datetime.fromisoformat(fields["from"]) if "from" in fields else since,
        valid_to=datetime.fromisoformat(until) if until else None,
        rule=rule,
        source=first,
        ordinal=fields.get("ordinal", 0),
        more_sources=tuple(more),
        wrong=fields.get("wrong", ""),
        effect=fields.get("effect", ""),
        role=fields.get("role", ""),
    )


_WORDS = ("subject", "predicate", "object", "mode", "certainty", "single_valued", "session", "form", "text", "tense")


def _listed(source: Source) -> list[Any]:
    return [str(value) if isinstance(value, uuid.UUID) else value for value in asdict(source).values()]


def _source(listed: Sequence[Any]) -> Source:
    episode, key, position, start, end, scope = listed
    return Source(uuid.UUID(episode), key, position, start, end, uuid.UUID(scope) if scope else None)
