"""Reading what is believed: as of any time, as known at any time, with its reasons; and proving it."""

import hashlib
import uuid
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.ledger import Belief, Entry, fold
from slowwave.core.timeline import BEGINNING, END, Span
from slowwave.domain.claim import Origin, Source
from slowwave.domain.episode import canonical_json
from slowwave.domain.explanation import Evidence, Explanation, Replaced, Step
from slowwave.domain.fact import Fact, in_words
from slowwave.store.statements import sql

ERASED = "erased"
"""What stands where a delta's words were erased."""


def facts(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    *,
    as_of: datetime | None = None,
    known_at: datetime | None = None,
    everything: bool = False,
) -> list[Fact]:
    """Return what is believed in *scopes*, by subject, predicate and object.

    *as_of* is when it was so in the world, *known_at* when we believed it; None is now. *everything* also returns
    what was so at other times.
    """
    rows = connection.exec_driver_sql(
        sql("beliefs/as_of"),
        {"scopes": list(scopes), "as_of": as_of, "known_at": known_at, "everything": everything},
    )
    return [_fact(row) for row in rows.mappings()]


def _fact(row: Any) -> Fact:
    sources = tuple(source(*each) for each in row["sources"] or ())
    fields = {name: value for name, value in row.items() if name not in ("fact", "sources")}
    fields["valid_from"] = fields["valid_from"] or BEGINNING
    return Fact(id=row["fact"], sources=sources, **fields)


def source(episode: str, key: str, position: int, start: int, end: int, scope: str | None) -> Source:
    """Return a source as JSON has it."""
    return Source(uuid.UUID(episode), key, position, start, end, uuid.UUID(scope) if scope else None)


def why(connection: Connection, fact: uuid.UUID) -> Explanation | None:
    """Return why a fact is or was believed, or None when there is no such fact here."""
    rows = connection.exec_driver_sql(sql("beliefs/why"), {"fact": fact}).mappings().all()
    if not rows:
        return None
    held = connection.exec_driver_sql(
        "SELECT subject, predicate, object, bool_or(upper_inf(recorded)) AS held FROM facts WHERE fact = %(fact)s "
        "GROUP BY subject, predicate, object",
        {"fact": fact},
    ).one()
    text = in_words(held.subject, held.predicate, held.object)
    return Explanation(fact, text, held.held, tuple(_step(row) for row in rows))


def _step(row: Any) -> Step:
    return Step(
        delta=row["id"],
        kind=row["kind"],
        text=_text(row["payload"]),
        rule=row["rule"],
        reason=(row["payload"] or {}).get("reason", ERASED),
        confidence=row["confidence"],
        recorded=row["recorded"],
        run=row["run"],
        replaces=tuple(_replaced(item) for item in row["replaces"] or ()),
        evidence=tuple(_evidence(item) for item in row["evidence"] or ()),
        origins=tuple(
            Origin(name, uuid.UUID(scope), uuid.UUID(memory)) for name, scope, memory in row["origins"] or ()
        ),
    )


def _text(payload: dict[str, Any] | None) -> str:
    return in_words(payload["subject"], payload["predicate"], payload["object"]) if payload else ERASED


def _replaced(item: dict[str, Any]) -> Replaced:
    recorded = datetime.fromisoformat(item["recorded"])
    return Replaced(uuid.UUID(item["fact"]), _text(item["payload"]), item["rule"], recorded)


def _evidence(item: dict[str, Any]) -> Evidence:
    return Evidence(
        episode=uuid.UUID(item["episode"]),
        key=item["key"],
        position=item["position"],
        occurred=datetime.fromisoformat(item["occurred"]),
        session=item["session"],
        speaker=item["speaker"],
        content=item["content"],
        words=item["content"][item["start"] : item["end"]],
        channel=item["channel"],
    )


_BELIEFS = """
SELECT h.tenant, h.user_id, h.agent, h.channel, f.subject, f.predicate, f.object, lower(f.valid) AS valid_from,
    upper(f.valid) AS valid_to, upper_inf(f.recorded) AS open, f.confidence, f.rule,
    (SELECT coalesce(array_agg(s.key ORDER BY s.key), '{}') FROM delta_sources s WHERE s.delta = f.fact) AS keys
FROM facts f JOIN scope_heads h USING (scope)
WHERE %(scope)s::uuid IS NULL OR f.scope = %(scope)s
"""


def digest(connection: Connection, scope: uuid.UUID | None = None) -> str:
    """Return a hash over all beliefs of the tenant, or of one scope, open and closed.

    Recorded times, run ids, counters and vectors are left out: two stores that were told the same things in the
    same order have the same digest, however often and in whatever windows the work was done.
    """
    rows = connection.exec_driver_sql(_BELIEFS, {"scope": scope})
    lines = sorted(canonical_json([_plain(value) for value in row]) for row in rows)
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def rebuilt(connection: Connection, scope: uuid.UUID) -> tuple[set[Belief], set[Belief]]:
    """Return the versions a scope's ledger folds to, and those its fact table holds: equal, or a promise is broken.

    The fold needs the skeleton of the ledger alone: no episode, no payload.
    """
    entries = connection.exec_driver_sql(
        "SELECT id, kind, belief, replaces, valid IS NOT NULL AS ranged, lower(valid) AS lo, upper(valid) AS hi, "
        "recorded, confidence FROM deltas WHERE scope = %(scope)s ORDER BY recorded",
        {"scope": scope},
    )
    ledger = (
        Entry(
            row.id,
            row.kind,
            row.belief,
            tuple(row.replaces),
            _span(row.lo, row.hi) if row.ranged else None,
            row.recorded,
            row.confidence,
        )
        for row in entries
    )
    return set(fold(ledger)), set(_table(connection, scope))


def _table(connection: Connection, scope: uuid.UUID) -> Iterable[Belief]:
    rows = connection.exec_driver_sql(
        "SELECT fact, belief, lower(valid) AS lo, upper(valid) AS hi, lower(recorded) AS opened, "
        "upper(recorded) AS closed, confidence FROM facts WHERE scope = %(scope)s",
        {"scope": scope},
    )
    for row in rows:
        yield Belief(row.fact, row.belief, _span(row.lo, row.hi), row.opened, row.closed, row.confidence)


def _span(lo: datetime | None, hi: datetime | None) -> Span:
    return Span(lo or BEGINNING, hi or END)
