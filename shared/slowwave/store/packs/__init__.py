"""The registry of packs: the packs, the schedules of each pack, and the predicates in force."""

import json
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection

from slowwave.core.predicates.registry import Holding
from slowwave.domain.job_table import CONSOLIDATE, PLAN, WINDOWED
from slowwave.domain.scope import SYSTEM_TENANT
from slowwave.errors import Incorrect
from slowwave.ports import Schedule
from slowwave.store import advisory_locks, pending_windows
from slowwave.store.statements import execute

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PackEntry:
    """A registered pack. If the pack uses a model, *edition* is part of the keys of the pack's requests."""

    pack: str
    job: str
    version: int
    digest: bytes
    edition: str = ""


def register(connection: Connection, packs: Sequence[PackEntry], schedules: Sequence[Schedule]) -> None:
    """Register these packs and schedules, and deactivate all other packs. Safe to repeat.

    *connection* has the role slowwave_dispatch.

    In each scope, a new pack starts after the last episode; a backfill may read earlier episodes. A removed pack is
    deactivated and keeps its watermarks. A lock prevents the creation of scopes meanwhile. If the files of a pack have
    changed and its version has not, the former digest stays, so that `changed_packs` finds the pack.
    """
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(lock)s)", {"lock": advisory_locks.PACKS})
    known = {
        row.pack: (row.version, bytes(row.digest), row.active, row.job)
        for row in connection.exec_driver_sql("SELECT pack, version, digest, active, job FROM packs")
    }
    changed = changed_packs(connection, (entry for entry in packs if entry.job == CONSOLIDATE))
    for warning in changed.values():
        _LOG.warning("%s", warning)
    new = [one for one in packs if known.get(one.pack) != (one.version, one.digest, True, one.job)]
    execute(
        connection,
        "packs/set_packs",
        tenant=SYSTEM_TENANT,
        packs=[one.pack for one in new],
        jobs=[one.job for one in new],
        versions=[one.version for one in new],
        digests=[known[one.pack][1] if one.pack in changed else one.digest for one in new],
    )
    for entry in new:
        _replan(connection, entry, known[entry.pack][3] if entry.pack in known else entry.job)
        if entry.pack not in known and entry.job in WINDOWED:
            execute(connection, "packs/add_watermarks", pack=entry.pack)
    connection.exec_driver_sql(
        "UPDATE packs SET active = false WHERE active AND pack <> ALL(%(packs)s::text[])",
        {"packs": [entry.pack for entry in packs]},
    )
    _schedule(connection, schedules)


def changed_packs(connection: Connection, packs: Iterable[PackEntry]) -> dict[str, Incorrect]:
    """Return a warning for each of *packs* whose files changed while its version stayed. *connection* acts as
    dispatch.
    """
    found = connection.exec_driver_sql("SELECT pack, version, digest FROM packs")
    known = {row.pack: (row.version, bytes(row.digest)) for row in found}
    return {
        entry.pack: Incorrect(
            f"the files of rule pack {entry.pack!r} have changed, but its version is still {entry.version}: facts of "
            f"the former and of the present rules are both marked {entry.pack}@{entry.version}",
            hint=f"raise `version` in {entry.pack}/pack.yaml with every change",
        )
        for entry in packs
        if entry.pack in known and known[entry.pack][0] == entry.version and known[entry.pack][1] != entry.digest
    }


def not_loaded(connection: Connection, loaded: Collection[str]) -> list[str]:
    """Return the packs for episodes that are active or have run here, without those in *loaded*.

    *connection* has the role slowwave_dispatch.
    """
    return list(execute(connection, "packs/not_loaded", jobs=[CONSOLIDATE, PLAN], loaded=list(loaded)).scalars())


def _replan(connection: Connection, entry: PackEntry, job: str) -> None:
    """Request new plans for those windows of a pack that wait for replies to requests of another edition.

    If the pack of *entry* needs no model any more, drop its plans. *job* is the former job of the pack.
    """
    if entry.job == PLAN:
        execute(connection, "pending_windows/mark_outdated", pack=entry.pack, edition=entry.edition)
    elif job == PLAN:
        pending_windows.give_up(connection, entry.pack)


def _schedule(connection: Connection, schedules: Sequence[Schedule]) -> None:
    state = {"next_due", "last_fired", "paused"}
    declared = [{name: value for name, value in asdict(one).items() if name not in state} for one in schedules]
    execute(connection, "packs/set_schedules", tenant=SYSTEM_TENANT, schedules=json.dumps(declared))
    connection.exec_driver_sql(
        "DELETE FROM schedules WHERE kind <> 'manual' AND schedule <> ALL(%(names)s::text[])",
        {"names": [entry.name for entry in schedules]},
    )


def registered_by(connection: Connection) -> bytes | None:
    """Return the digest of the installation that registered the present packs and schedules; None if unknown.

    *connection* has the role slowwave_dispatch.
    """
    found = connection.exec_driver_sql("SELECT digest FROM registrations").scalar()
    return None if found is None else bytes(found)


def sign(connection: Connection, digest: bytes | None) -> None:
    """Store the *digest* of the installation that registered the packs; None deletes it. *connection* acts as
    dispatch.
    """
    connection.exec_driver_sql("DELETE FROM registrations")
    if digest is not None:
        connection.exec_driver_sql(
            "INSERT INTO registrations (tenant, digest) VALUES (%(tenant)s, %(digest)s)",
            {"tenant": SYSTEM_TENANT, "digest": digest},
        )


def digest_of(connection: Connection, pack: str) -> bytes | None:
    """Return the digest with which a pack was last registered; None if the pack has none."""
    found = connection.exec_driver_sql("SELECT digest FROM packs WHERE pack = %(pack)s", {"pack": pack}).scalar()
    return None if found is None else bytes(found)


def in_force(connection: Connection) -> dict[str, Holding]:
    """Return the declaration in force of each predicate, by name of the predicate.

    *connection* has the role slowwave_dispatch.
    """
    found = connection.exec_driver_sql("SELECT predicate, single_valued, said_by FROM predicates ORDER BY predicate")
    return {row.predicate: Holding(row.single_valued, row.said_by) for row in found}


def keep(connection: Connection, declarations: Mapping[str, Holding], places: Collection[str]) -> None:
    """Store the predicate *declarations*, and delete other declarations of *places*.

    *connection* has the role slowwave_dispatch.

    A place is a pack, or the shared file of predicates. Declarations of a removed pack stay, because facts use them.
    """
    execute(
        connection,
        "packs/upsert_predicates",
        tenant=SYSTEM_TENANT,
        names=list(declarations),
        single=[one.single_valued for one in declarations.values()],
        said_by=[one.declared_by for one in declarations.values()],
    )
    connection.exec_driver_sql(
        "DELETE FROM predicates WHERE said_by = ANY(%(places)s::text[]) AND predicate <> ALL(%(names)s::text[])",
        {"places": list(places), "names": list(declarations)},
    )


def predicates_in_use(connection: Connection, tenant: str) -> list[str]:
    """Return the predicates of the typed facts of *tenant*."""
    return list(execute(connection, "packs/predicates_in_use", tenant=tenant).scalars())


def facts_of_other_cardinality(connection: Connection, tenant: str, wanted: Mapping[str, bool]) -> dict[str, int]:
    """Return, by predicate, how many facts have another cardinality than *wanted*, where True means single-valued."""
    split = {
        "to_single": [p for p, one in wanted.items() if one],
        "to_many": [p for p, one in wanted.items() if not one],
    }
    found = execute(connection, "packs/cardinality_conflicts", tenant=tenant, **split)
    return {row.predicate: row.facts for row in found}
