"""The digest of beliefs: a hash by which two stores that were told the same are the same."""

import hashlib
import uuid
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.episode import canonical_json
from slowwave.store.statements import sql


def digest(connection: Connection, scope: uuid.UUID | None = None) -> str:
    """Return a hash over all beliefs of the tenant, or of one scope, open and closed.

    Recorded times, run ids, counters and vectors are left out: two stores that were told the same things in the
    same order have the same digest, however often and in whatever windows the work was done.
    """
    rows = connection.exec_driver_sql(sql("beliefs/digest"), {"scope": scope})
    lines = sorted(canonical_json([_plain(value) for value in _told(row)]) for row in rows)
    return hashlib.sha256(b"\n".join(lines)).hexdigest()


def _told(row: Any) -> list[Any]:
    """The columns of a version that count; how a typed fact reads follows from the rest of it."""
    *belief, form, text, tense = row
    return belief if form == "typed" else [*belief, form, text, tense]


def _plain(value: Any) -> Any:
    return value.astimezone(UTC).isoformat() if isinstance(value, datetime) else value
