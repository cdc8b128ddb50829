"""The ledger: typed deltas from decisions and from outside, and the effect of each ledger row on beliefs."""

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from slowwave.core.beliefs.identity import BeliefKey, belief_key, fact_fields, identity, text_of
from slowwave.core.fold import Decision, Fingerprint, Version
from slowwave.core.time_spans import ALWAYS, BEGINNING, END, Span
from slowwave.domain.claim import Claim, Form, Mode, Source, Tense
from slowwave.domain.delta import DeleteDelta, MemoryDelta, NoopDelta, UpdateDelta, read_delta
from slowwave.domain.limits import text_problems
from slowwave.errors import FactConflictError, Incorrect

_MODES: Mapping[str, Mode] = {"add": "assert", "update": "correct", "delete": "end", "noop": "assert"}
Kind = Literal["add", "update", "delete", "noop"]


def typed_delta(decision: Decision, at: datetime) -> MemoryDelta:
    """Return *decision*, applied at *at*, as a validated delta. Raises `Incorrect` with every problem of the delta."""
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
    """Return the payload of a decision's delta: the fields of the fact."""
    claim = decision.claim
    text = decision.opens[0].text if decision.kind in ("add", "update") else text_of(claim)
    return fact_fields(claim) | {"single_valued": decision.key[2] is None, "text": text}


class FactPayload(BaseModel):
    """The required fields of the `fact_payload` of an add or update. A statement also needs its *text*."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    subject: str = Field(min_length=1, max_length=1000)
    predicate: str = Field(min_length=1, max_length=255, pattern=r"^[a-z][a-z0-9_]*$")
    object: str = Field(min_length=1, max_length=10_000)
    single_valued: bool = False
    form: Form = "typed"
    text: str = Field(default="", max_length=10_000)
    tense: Tense = "current"

    @field_validator("subject", "object")
    @classmethod
    def _check(cls, text: str) -> str:
        problems = text_problems(text) if text.strip() else ["is empty"]
        if problems:
            raise ValueError("\n".join(problems))
        return text

    @model_validator(mode="after")
    def _stands(self) -> "FactPayload":
        if problems := text_problems(self.text):
            raise ValueError("\n".join(f"text {problem}" for problem in problems))
        if self.form == "statement" and (self.single_valued or not self.text.strip()):
            raise ValueError("a statement needs a text, and is never single-valued")
        return self

    @property
    def key(self) -> BeliefKey:
        """The belief key. Beliefs with equal keys can contradict or repeat each other."""
        return belief_key(*identity(self), single_valued=self.single_valued)


def decide(
    delta: MemoryDelta,
    payload: FactPayload | None,
    *,
    id: uuid.UUID,
    sources: Sequence[Source],
    session: str,
    replaced: Mapping[str, Sequence[Version]],
    rivals: Callable[[FactPayload], Sequence[Version]],
    fingerprint: Fingerprint,
) -> Decision:
    """Return the decision for *delta*, with the versions to close and to open.

    *replaced* maps each replaced id to its open versions in this scope. *rivals* gives the open versions with which a
    payload conflicts. Raises `FactConflictError` if the delta cannot be applied without ambiguity.
    """
    old = _resolved(delta, replaced)
    nothing = FactPayload(subject="-", predicate="nothing", object="-")
    about = payload or (FactPayload(**fact_fields(old[0])) if old else nothing)
    claim = _claim(delta, about, sources, session)
    decision = Decision(id, "noop", claim, about.key, fingerprint(*identity(about)), delta.reason or "by hand")
    if isinstance(delta, NoopDelta):
        return decision
    span = _span(delta, old)
    closes = tuple(version for version in old if version.valid.overlaps(span))
    rest = tuple(left for v in closes for left in v.without(span, id))
    facts = tuple(dict.fromkeys(version.fact for version in old))
    if isinstance(delta, DeleteDelta):
        return replace(decision, kind="delete", about=facts[0], replaces=facts, valid=span, closes=closes, opens=rest)
    new = Version(
        id, about.key, about.subject, about.predicate, about.object, span, delta.confidence, claim.source.position,
        session, delta.rule_id, form=about.form, text=about.text, tense=about.tense,
    )  # fmt: skip
    _refuse_rivals(new, [version for version in rivals(about) if version.fact not in facts])
    return replace(decision, kind=delta.kind, replaces=facts, valid=span, closes=closes, opens=(new, *rest))


def _resolved(delta: MemoryDelta, replaced: Mapping[str, Sequence[Version]]) -> list[Version]:
    if not isinstance(delta, UpdateDelta | DeleteDelta):
        return []
    lost = [id_ for id_ in delta.replaces if not replaced.get(id_)]
    if lost:
        raise FactConflictError(
            f"facts that the delta replaces are not believed here (any more): {', '.join(lost)}",
            hint="read the scope's facts and decide again",
        )
    return [version for id_ in delta.replaces for version in replaced[id_]]


def _span(delta: MemoryDelta, old: Sequence[Version]) -> Span:
    if isinstance(delta, DeleteDelta) and delta.valid_from is None and delta.valid_to is None:
        return ALWAYS
    start = delta.valid_from or (delta.promotion_ts if not isinstance(delta, DeleteDelta) else BEGINNING)
    end = delta.valid_to or END
    if start >= end:
        raise FactConflictError("the delta's valid time ends before it begins", hint="correct valid_from and valid_to")
    span = Span(start, end)
    if old and not any(version.valid.overlaps(span) for version in old):
        raise FactConflictError(
            "the replaced facts were not valid at the delta's valid time", hint="give valid_from and valid_to"
        )
    return span


def _refuse_rivals(new: Version, rivals: Sequence[Version]) -> None:
    clash = [version for version in rivals if version.valid.overlaps(new.valid)]
    if clash:
        raise FactConflictError(
            f"{new.subject} {new.predicate} is held as {identity(clash[0])[2]!r} at that time",
            hint=f"replace it: send an update delta with replaces [{clash[0].fact}]",
        )


def _claim(delta: MemoryDelta, about: FactPayload, sources: Sequence[Source], session: str) -> Claim:
    return Claim(
        **fact_fields(about),
        mode=_MODES[delta.kind],
        certainty="explicit",
        confidence=delta.confidence,
        valid_from=delta.valid_from or delta.promotion_ts,
        valid_to=delta.valid_to,
        rule=delta.rule_id,
        session=session,
        source=sources[0],
        ordinal=0,
        more_sources=tuple(sources[1:]),
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """The part of one delta that can be replayed: the replaced facts, the valid time, and the time when it was
    *recorded*.
    """

    id: uuid.UUID
    kind: Kind
    belief: int | None
    replaces: tuple[uuid.UUID, ...]
    valid: Span | None
    recorded: datetime
    confidence: float


@dataclass(frozen=True, slots=True)
class Belief:
    """A version of a fact, computed from the ledger. *closed* is the time when it was closed; None while it is
    believed.
    """

    fact: uuid.UUID
    belief: int | None
    valid: Span
    opened: datetime
    closed: datetime | None
    confidence: float


def fold(entries: Iterable[Entry]) -> list[Belief]:
    """Return all versions, open and closed, that result from *entries*, which are in the order of recording."""
    open_: dict[uuid.UUID, list[Belief]] = {}
    closed: list[Belief] = []
    for entry in entries:
        if entry.valid is None:
            continue
        for fact in entry.replaces:
            open_[fact], ended = _carve(open_.get(fact, []), entry.valid, entry.recorded)
            closed += ended
        if entry.kind in ("add", "update"):
            version = Belief(entry.id, entry.belief, entry.valid, entry.recorded, None, entry.confidence)
            open_.setdefault(entry.id, []).append(version)
    return closed + [version for versions in open_.values() for version in versions]


def _carve(versions: list[Belief], span: Span, recorded: datetime) -> tuple[list[Belief], list[Belief]]:
    remaining, ended = [], []
    for version in versions:
        if not version.valid.overlaps(span):
            remaining.append(version)
            continue
        ended.append(replace(version, closed=recorded))
        remaining += [replace(version, valid=rest, opened=recorded) for rest in version.valid.without(span)]
    return remaining, ended
