"""The registry of packs: which ones this installation runs, and when each is due."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from slowwave.domain.job_table import PLAN, WINDOWED
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.ports import Schedule
from slowwave.store import locks
from slowwave.store.statements import sql
from slowwave.store.windows import windows


@dataclass(frozen=True, slots=True)
class PackEntry:
    """A pack as the schedule knows it; the *edition* of one that needs a model is in its requests' keys."""

    pack: str
    job: str
    version: int
    digest: bytes
    edition: str = ""


def register(connection: Connection, packs: Sequence[PackEntry], schedules: Sequence[Schedule]) -> None:
    """Make the database run these packs on these schedules, and no others. Safe to repeat; acts as dispatch.

    A pack that is new starts at each scope's head: what happened before it came is left to a backfill. A pack that
    is gone is switched off and keeps its watermarks. The lock keeps scopes from being created in between.
    """
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": locks.PACKS})
    known = {
        row.pack: (row.version, bytes(row.digest), row.active, row.job)
        for row in connection.exec_driver_sql("SELECT pack, version, digest, active, job FROM packs")
    }
    for entry in packs:
        if known.get(entry.pack) != (entry.version, entry.digest, True, entry.job):
            connection.exec_driver_sql(
                sql("packs/set_pack"),
                {
                    "pack": entry.pack,
                    "tenant": SYSTEM_TENANT,
                    "job": entry.job,
                    "version": entry.version,
                    "digest": entry.digest,
                },
            )
            _replan(connection, entry, known[entry.pack][3] if entry.pack in known else entry.job)
        if entry.pack not in known and entry.job in WINDOWED:
            connection.exec_driver_sql(
                sql("packs/add_watermarks"),
                {"pack": entry.pack},
            )
    connection.exec_driver_sql(
        "UPDATE packs SET active = false WHERE active AND pack <> ALL(%(packs)s::text[])",
        {"packs": [entry.pack for entry in packs]},
    )
    _schedule(connection, schedules)


def _replan(connection: Connection, entry: PackEntry, job: str) -> None:
    """Have windows that wait for replies to another edition of a pack planned anew; give up those of one that needs no
    model any more, which *job* did before.
    """
    if entry.job == PLAN:
        windows.outdate(connection, entry.pack, entry.edition)
    elif job == PLAN:
        windows.give_up(connection, entry.pack)


def _schedule(connection: Connection, schedules: Sequence[Schedule]) -> None:
    for entry in schedules:
        said = {name: getattr(entry, name) for name in entry.__slots__ if name != "name"}
        connection.exec_driver_sql(sql("packs/register"), {"tenant": SYSTEM_TENANT, "schedule": entry.name, **said})
    connection.exec_driver_sql(
        "DELETE FROM schedules WHERE kind <> 'manual' AND schedule <> ALL(%(names)s::text[])",
        {"names": [entry.name for entry in schedules]},
    )


def registered_by(connection: Connection) -> bytes | None:
    """Return the digest of the installation whose packs and schedules are all that there are; None where none said.

    As dispatch.
    """
    found = connection.exec_driver_sql("SELECT digest FROM registrations").scalar()
    return None if found is None else bytes(found)


def sign(connection: Connection, digest: bytes | None) -> None:
    """Write down the *digest* of the installation that has registered; None where it does not say. As dispatch."""
    connection.exec_driver_sql("DELETE FROM registrations")
    if digest is not None:
        connection.exec_driver_sql(
            "INSERT INTO registrations (tenant, digest) VALUES (%(tenant)s, %(digest)s)",
            {"tenant": SYSTEM_TENANT, "digest": digest},
        )


def digest_of(connection: Connection, pack: str) -> bytes | None:
    """Return the digest under which a pack was registered last, or None."""
    found = connection.exec_driver_sql("SELECT digest FROM packs WHERE pack = %(pack)s", {"pack": pack}).scalar()
    return None if found is None else bytes(found)


def tenants(connection: Connection) -> list[str]:
    """Return the names of every tenant, in their order. *connection* acts as dispatch."""
    return list(connection.exec_driver_sql("SELECT tenant FROM tenants ORDER BY tenant").scalars())
