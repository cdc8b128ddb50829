"""Seals of ledgers. The seals of a ledger are a chain of keyed hashes, which reveals later changes of deltas."""

import hmac
import uuid
from collections.abc import Generator
from contextlib import closing
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.limits import canonical_json
from slowwave.store.database import Repository
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.statements import IN_PARTS, execute, sql


class PostgresSeals(Repository):
    """The seals of all ledgers."""

    def seal(self) -> tuple[int, int]:
        """Add a seal (a keyed hash) over the new deltas of each ledger; return the numbers of ledgers and deltas.

        Safe to repeat.
        """
        with self._database.dispatch() as connection:
            tenants = connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars().all()
        ledgers = deltas = 0
        for tenant in tenants:
            with self._database.long(tenant) as connection:
                scopes = execute(connection, "seals/unsealed_scopes").scalars().all()
            for scope in scopes:
                with self._database.long(tenant) as connection:
                    deltas += seal(connection, scope)
                ledgers += 1
        return ledgers, deltas


def seal(connection: Connection, scope: uuid.UUID) -> int:
    """Add a seal over the deltas since a scope's last seal; return their number, 0 if another process was first."""
    execute(connection, "operator/lock_out_writers", scope=scope)
    last = next(reversed(_seals(connection, scope)), None)
    after, before, link = (last.until, last.deltas, bytes(last.seal)) if last else (None, 0, b"")
    links = list(_chain(connection, scope, after, link))
    if not links:
        return 0
    until, made = links[-1]
    sealed = connection.exec_driver_sql(
        "INSERT INTO ledger_seals (scope, tenant, until, deltas, seal) "
        "VALUES (%(scope)s, slowwave_tenant(), %(until)s, %(deltas)s, %(seal)s) ON CONFLICT DO NOTHING",
        {"scope": scope, "until": until, "deltas": before + len(links), "seal": made},
    )
    return len(links) if sealed.rowcount else 0


def seal_broken(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the first seal that does not match the ledger of a scope; None if all match.

    If all seals match, return a description of the first delta or fact whose text does not match its digest, or None.
    """
    seals = _seals(connection, scope)
    with closing(_chain(connection, scope, None, b"")) as chain:
        for number, (until, link) in enumerate(chain, 1):
            if not seals:
                break
            if until >= seals[0].until:
                expected = seals.pop(0)
                found = (until, number)
                if found != (expected.until, expected.deltas) or not hmac.compare_digest(link, bytes(expected.seal)):
                    return f"its deltas up to {expected.until:%Y-%m-%d %H:%M}Z differ from what was sealed"
    if seals:
        return f"its deltas up to {seals[0].until:%Y-%m-%d %H:%M}Z are gone"
    return _changed_words(connection, scope)


def _changed_words(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the first delta or fact whose text differs from the digest in the ledger, or None."""
    prints = fingerprinter(connection)
    rows = connection.exec_driver_sql(sql("seals/payloads"), {"scope": scope}, execution_options=IN_PARTS)
    with closing(rows):
        for row in rows:
            proof = prints.payload(canonical_json(row.payload))
            if not row.emptied and not hmac.compare_digest(proof, bytes(row.payload_digest)):
                return f"the words of delta {row.id} differ from their proof in the ledger"
            own = [row.payload.get(name) for name in ("subject", "predicate", "object", "text")]
            if any(own[:3] != words[:3] or own[3] not in (None, words[3]) for words in row.words or ()):
                return f"the words of fact {row.id} differ from its delta's"
    return None


def _chain(
    connection: Connection, scope: uuid.UUID, after: datetime | None, link: bytes
) -> Generator[tuple[datetime, bytes], None, None]:
    """Yield the recorded time of each delta later than *after*, with the seal of the ledger up to this delta.

    *link* is the seal before the first of these deltas.
    """
    key = fingerprinter(connection).key
    rows = connection.exec_driver_sql(
        sql("seals/sealed_deltas"), {"scope": scope, "after": after}, execution_options=IN_PARTS
    )
    with closing(rows):
        for row in rows:
            link = hmac.digest(key, link + row.line.encode(), "sha256")
            yield row.recorded, link


def _seals(connection: Connection, scope: uuid.UUID) -> list[Any]:
    return list(
        connection.exec_driver_sql(
            "SELECT until, deltas, seal FROM ledger_seals WHERE scope = %(scope)s ORDER BY until", {"scope": scope}
        )
    )
