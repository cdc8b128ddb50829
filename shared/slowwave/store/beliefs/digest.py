"""The digest of beliefs, which is equal for two stores with equal beliefs, and the rebuild from the ledger."""

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.ledger import Belief, Entry, fold
from slowwave.core.time_spans import BEGINNING, END, Span
from slowwave.domain.limits import canonical_json
from slowwave.store.database import Database
from slowwave.store.statements import IN_PARTS, sql

AT_ONCE = 100
"""The number of scopes whose lines are sorted together. This number limits the memory used."""


def digest(connection: Connection, scope: uuid.UUID | None = None, *, at_once: int = AT_ONCE) -> str:
    """Return a hash over all beliefs of the tenant, or of one scope, open and closed.

    The hash leaves out recorded times, run ids, counters and vectors. Two stores that received the same episodes in the
    same order have the same digest. Repeated work and other windows do not change the digest.
    """
    hasher, between = hashlib.sha256(), b""
    scopes = _scopes(connection, scope)
    for start in range(0, len(scopes), at_once):
        for line in _lines(connection, scopes[start : start + at_once]):
            hasher.update(between + line)
            between = b"\n"
    return hasher.hexdigest()


def digests(database: Database) -> Mapping[str, str]:
    """Return the digest of each tenant by name. Equal digests prove that a copy of a database is equal."""
    found = {}
    for tenant in database.tenants():
        with database.long(tenant) as connection:
            found[tenant] = digest(connection)
    return found


def _scopes(connection: Connection, only: uuid.UUID | None) -> list[uuid.UUID]:
    """Return the scopes in the order of their digest lines. Each line begins with the names of its scope."""
    rows = connection.exec_driver_sql(
        "SELECT scope, tenant, user_id, agent, channel FROM scope_heads "
        "WHERE %(only)s::uuid IS NULL OR scope = %(only)s",
        {"only": only},
    )
    return [scope for _, scope in sorted((canonical_json(names), scope) for scope, *names in rows)]


def _lines(connection: Connection, scopes: Sequence[uuid.UUID]) -> list[bytes]:
    rows = connection.exec_driver_sql(sql("beliefs/digest"), {"scopes": scopes}, execution_options=IN_PARTS)
    return sorted(canonical_json([_plain(value) for value in _digest_line(row)]) for row in rows)


def _digest_line(row: Any) -> list[Any]:
    """Return the columns of a version that the digest covers. The columns of a typed fact imply its sentence."""
    *belief, form, text, tense = row
    return belief if form == "typed" else [*belief, form, text, tense]


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value


def rebuilt(connection: Connection, scope: uuid.UUID) -> tuple[set[Belief], set[Belief]]:
    """Return the versions computed from a scope's ledger, and the versions in the fact table.

    A difference is a defect.

    The computation reads neither episodes nor payloads.
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
