"""Canaries: the versions of packs that read in a share of the scopes, and the scopes in which they have read."""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sqlalchemy import Connection

from slowwave.domain.canary import StoredCanary, Verdict
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.store import advisory_locks
from slowwave.store.statements import execute


def declare(connection: Connection, declared: Mapping[str, tuple[int, float]]) -> None:
    """Store the *declared* canaries, as version and share by pack. All others end.

    A version that was rolled back or promoted keeps its verdict. *connection* has the role slowwave_dispatch.
    """
    asked = {
        "tenant": SYSTEM_TENANT,
        "packs": list(declared),
        "versions": [version for version, _ in declared.values()],
        "shares": [share for _, share in declared.values()],
    }
    execute(connection, "canaries/declare", **asked)
    execute(connection, "canaries/end", **asked)


def decide(connection: Connection, canary: StoredCanary, verdict: Verdict, *, by: str, reason: str) -> None:
    """Store a new *verdict* about a canary, after the replays that are being written.

    A canary that was rolled back is not promoted. *connection* has the role slowwave_dispatch. Served by canaries_pkey.
    """
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": advisory_locks.VERDICTS})
    connection.exec_driver_sql(
        "UPDATE canaries SET verdict = %(verdict)s, by_whom = %(by)s, reason = %(reason)s, decided = slowwave_now() "
        "WHERE pack = %(pack)s AND version = %(version)s AND verdict IS DISTINCT FROM %(verdict)s "
        "AND (verdict IS NULL OR %(verdict)s <> 'promoted')",
        {"pack": canary.pack, "version": canary.version, "verdict": verdict, "by": by, "reason": reason},
    )


def hold_verdicts(connection: Connection) -> None:
    """Lock the verdicts about canaries: new ones wait until the end of the transaction."""
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock_shared(%(lock)s)", {"lock": advisory_locks.VERDICTS})


def forget(connection: Connection, heard: Callable[[object], bool], *, removing: bool = True) -> int:
    """Empty the reasons of canaries, and the names of those who decided, for which *heard* returns True; return the
    number of canaries. With *removing* False, only count. *connection* has the role slowwave_dispatch. The table
    is small.
    """
    found = [one for one in known(connection) if heard([one.reason, one.by])]
    for one in found if removing else ():
        connection.exec_driver_sql(
            "UPDATE canaries SET by_whom = 'erased', reason = '' WHERE pack = %(pack)s AND version = %(version)s",
            {"pack": one.pack, "version": one.version},
        )
    return len(found)


def known(connection: Connection) -> list[StoredCanary]:
    """Return all canaries: declared ones first, then the latest version first. The table is small."""
    rows = connection.exec_driver_sql(
        "SELECT pack, version, share, declared, verdict, by_whom, reason, decided FROM canaries "
        "ORDER BY declared DESC, version DESC, pack"
    )
    return [StoredCanary(*row) for row in rows]


def version_in(connection: Connection, scope: uuid.UUID, pack: str) -> int | None:
    """Return the version of *pack* that reads in *scope* as a canary; None if the installed version reads there.

    Served by canaries_pkey.
    """
    version: int | None = connection.exec_driver_sql(
        "SELECT slowwave_canary(%(scope)s, %(pack)s)", {"scope": scope, "pack": pack}
    ).scalar_one()
    return version


def shared(connection: Connection, pack: str, version: int) -> int:
    """Return the number of scopes of the tenant, among those that *pack* has read, in which a canary reads."""
    found: int = execute(connection, "canaries/shared", pack=pack, version=version).scalar_one()
    return found


@dataclass(frozen=True, slots=True)
class CanaryRun:
    """A run in which a canary read the positions *lo* to *hi*, both included."""

    run: int
    lo: int
    hi: int


def read_by(
    connection: Connection, pack: str, version: int, scope: uuid.UUID | None = None
) -> dict[Scope, list[CanaryRun]]:
    """Return the runs by which a *version* of *pack* has read in the scopes of the tenant; or in one *scope*."""
    rows = execute(connection, "canaries/read_by", pack=pack, version=version, scope=scope)
    return {
        Scope(row.tenant, row.user_id, row.agent, row.channel): [
            CanaryRun(*window) for window in zip(row.runs, row.los, row.his, strict=True)
        ]
        for row in rows
    }


@dataclass(frozen=True, slots=True)
class ReplayInForce:
    """A replay, or the undo of a replay, that is in force in a *scope*. *run* has carried it out."""

    scope: Scope
    undo: uuid.UUID
    what: str
    run: int


def replays_in_force(connection: Connection, scope: uuid.UUID | None = None) -> list[ReplayInForce]:
    """Return the replays in force in the scopes of the tenant, or in one *scope*; the latest first in each scope."""
    rows = execute(connection, "canaries/replays", scope=scope)
    return [ReplayInForce(Scope(*names), undo, what, run) for *names, undo, what, run in rows]
