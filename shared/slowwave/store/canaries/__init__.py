"""Canaries: the versions of packs that read in a share of the scopes, and the scopes in which they have read."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from slowwave.domain.canary import StoredCanary, Verdict
from slowwave.domain.scope import SYSTEM_TENANT, Scope
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
    """Store a new *verdict* about a canary. *connection* has the role slowwave_dispatch. Served by canaries_pkey."""
    connection.exec_driver_sql(
        "UPDATE canaries SET verdict = %(verdict)s, by_whom = %(by)s, reason = %(reason)s, decided = slowwave_now() "
        "WHERE pack = %(pack)s AND version = %(version)s AND verdict IS DISTINCT FROM %(verdict)s",
        {"pack": canary.pack, "version": canary.version, "verdict": verdict, "by": by, "reason": reason},
    )


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
class CanaryScope:
    """A scope in which a canary has read: the number of its *runs*, and their *windows* of positions."""

    scope: Scope
    runs: int
    windows: Sequence[tuple[int, int]]

    @property
    def positions(self) -> frozenset[int]:
        """The positions that the runs have read."""
        return frozenset(position for lo, hi in self.windows for position in range(lo, hi + 1))


def read_by(connection: Connection, pack: str, version: int, scope: uuid.UUID | None = None) -> list[CanaryScope]:
    """Return the scopes of the tenant in which a *version* of *pack* has read, in order; or one *scope* of these."""
    rows = execute(connection, "canaries/read_by", pack=pack, version=version, scope=scope)
    return [
        CanaryScope(
            Scope(row.tenant, row.user_id, row.agent, row.channel), len(row.los), [*zip(row.los, row.his, strict=True)]
        )
        for row in rows
    ]
