"""The effect of one ledger row on the beliefs, and the fold of all rows.

A row cuts its span of valid time out of the open versions of the facts that it replaces; an add or update then opens
its own fact over that span. This is its whole effect, so these fields of the ledger are enough to rebuild every belief,
even after its payloads are erased.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from slowwave.core.time_spans import Span

Kind = Literal["add", "update", "delete", "noop"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The replayable part of one delta: the facts it replaces, its valid time, and when it was *recorded*."""

    id: uuid.UUID
    kind: Kind
    belief: int | None
    replaces: tuple[uuid.UUID, ...]
    valid: Span | None
    recorded: datetime
    confidence: float


@dataclass(frozen=True, slots=True)
class Belief:
    """One version in the fold; *closed* is None while it is believed."""

    fact: uuid.UUID
    belief: int | None
    valid: Span
    opened: datetime
    closed: datetime | None
    confidence: float


def fold(entries: Iterable[Entry]) -> list[Belief]:
    """Return every version that *entries*, in the order they were recorded, have ever opened."""
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
    kept, ended = [], []
    for version in versions:
        if not version.valid.overlaps(span):
            kept.append(version)
            continue
        ended.append(Belief(version.fact, version.belief, version.valid, version.opened, recorded, version.confidence))
        kept += [
            Belief(version.fact, version.belief, rest, recorded, None, version.confidence)
            for rest in version.valid.without(span)
        ]
    return kept, ended
