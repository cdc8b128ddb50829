"""Seals of ledgers. The seals of a ledger are a chain of keyed hashes, which reveals later changes of deltas."""

import hmac
import uuid
from collections.abc import Generator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.domain.limits import canonical_json
from slowwave.store import advisory_locks
from slowwave.store.beliefs.deltas import horizon
from slowwave.store.database import Repository
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.statements import IN_PARTS, execute, sql
from slowwave.store.transaction import now


class PostgresSeals(Repository):
    """The seals of all ledgers."""

    def seal(self) -> tuple[int, int]:
        """Add a seal (a keyed hash) over the new deltas of each ledger; return the numbers of ledgers and deltas.

        Then add a seal over the new seals of all ledgers of each tenant, if there are any. Safe to repeat.
        """
        ledgers = deltas = 0
        for tenant in self._database.tenants():
            with self._database.long(tenant) as connection:
                asked = now(connection)
                until = horizon(connection)
                scopes = execute(connection, "seals/unsealed_scopes").scalars().all()
            for scope in scopes:
                with self._database.long(tenant) as connection:
                    deltas += seal(connection, scope)
                ledgers += 1
            with self._database.long(tenant) as connection:
                _seal_tenant(connection, until, pending=until < asked)
        return ledgers, deltas


def seal(connection: Connection, scope: uuid.UUID) -> int:
    """Add a seal over the deltas since a scope's last seal; return their number, 0 if another process was first."""
    execute(connection, "operator/lock_out_writers", scope=scope)
    _lock(connection, "pg_advisory_xact_lock_shared")
    last = next(reversed(_seals(connection, scope)), None)
    after, before, link = (last.until, last.deltas, bytes(last.seal)) if last else (None, 0, b"")
    links = list(_chain(connection, scope, after, link))
    if not links:
        return 0
    until, made = links[-1]
    sealed = connection.exec_driver_sql(
        "INSERT INTO ledger_seals (scope, tenant, until, deltas, seal, made) "
        "SELECT %(scope)s, slowwave_tenant(), %(until)s, %(deltas)s, %(seal)s, "
        "greatest(slowwave_now(), max(made) + interval '1 microsecond') "  # also after a clock was set back
        "FROM tenant_seals WHERE tenant = slowwave_tenant() ON CONFLICT DO NOTHING",
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
    if unsealed := execute(connection, "seals/unsealed_delta", scope=scope).scalar_one():
        return f"the seal of its deltas from {unsealed:%Y-%m-%d %H:%M}Z on is gone"
    return _changed_words(connection, scope)


def tenant_seal_broken(connection: Connection) -> str | None:
    """Return a description of the first seal of the tenant that does not match the seals of its ledgers, or None."""
    seals = list(
        connection.exec_driver_sql(
            "SELECT made, until, seal FROM tenant_seals WHERE tenant = slowwave_tenant() ORDER BY made"
        )
    )
    key, link = fingerprinter(connection).key, b""
    with closing(_seals_of_ledgers(connection, None)) as rows:
        row = next(rows, None)
        for seal in seals:
            while row is not None and row.made <= seal.made:
                link = hmac.digest(key, link + row.line.encode(), "sha256")
                row = next(rows, None)
            link = _night(key, link, seal.made, seal.until)
            if not hmac.compare_digest(link, bytes(seal.seal)):
                return f"the seals of ledgers up to {seal.made:%Y-%m-%d %H:%M}Z differ from the seal of that night"
    return None


def _seal_tenant(connection: Connection, until: datetime, *, pending: bool) -> None:
    """Add a seal over the new seals of the tenant's ledgers, which cover all deltas recorded before *until*.

    If there are no new seals of ledgers, no seal is added, so that the table grows only with the ledgers. *pending* is
    true if a transaction recorded deltas before the night began and is not committed yet. Then a seal is added anyway:
    these deltas get their seals in the next night, and the check must not report them until then.
    """
    _lock(connection, "pg_advisory_xact_lock")
    last = connection.exec_driver_sql(
        "SELECT made, seal FROM tenant_seals WHERE tenant = slowwave_tenant() ORDER BY made DESC LIMIT 1"
    ).one_or_none()
    after, link = (last.made, bytes(last.seal)) if last else (None, b"")
    key, latest = fingerprinter(connection).key, after
    with closing(_seals_of_ledgers(connection, after)) as rows:
        for row in rows:
            link = hmac.digest(key, link + row.line.encode(), "sha256")
            latest = max(row.made, row.until, latest or row.made)
    if latest == after and not pending:
        return
    made = connection.exec_driver_sql(  # not earlier than a delta that it covers, also after a clock was set back
        "SELECT greatest(slowwave_now(), %(latest)s, %(after)s::timestamptz + interval '1 microsecond')",
        {"latest": latest, "after": after},
    ).scalar_one()
    connection.exec_driver_sql(
        "INSERT INTO tenant_seals (tenant, made, until, seal) "
        "VALUES (slowwave_tenant(), %(made)s, %(until)s, %(seal)s)",
        {"made": made, "until": until, "seal": _night(key, link, made, until)},
    )


def _night(key: bytes, link: bytes, made: datetime, until: datetime) -> bytes:
    times = f"{made.astimezone(UTC).isoformat()} {until.astimezone(UTC).isoformat()}"
    return hmac.digest(key, link + times.encode(), "sha256")


def _seals_of_ledgers(connection: Connection, after: datetime | None) -> Generator[Any, None, None]:
    rows = connection.exec_driver_sql(sql("seals/seals_of_ledgers"), {"after": after}, execution_options=IN_PARTS)
    with closing(rows):
        yield from rows


def _lock(connection: Connection, function: str) -> None:
    """Lock the making of seals, so that a seal of the tenant sees every seal that was made before it."""
    connection.exec_driver_sql(
        f"SELECT {function}(%(kind)s, hashtext(slowwave_tenant()))",
        {"kind": advisory_locks.SEALS},
    )


def _changed_words(connection: Connection, scope: uuid.UUID) -> str | None:
    """Return a description of the first delta or fact whose text differs from the digest in the ledger, or None."""
    prints = fingerprinter(connection)
    rows = connection.exec_driver_sql(sql("seals/payloads"), {"scope": scope}, execution_options=IN_PARTS)
    with closing(rows):
        for row in rows:
            if row.gone:
                return f"the words of delta {row.id} are gone, and nothing was erased"
            if row.payload is None:
                continue
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
