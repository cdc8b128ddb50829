"""The schedules of an installation. One transaction turns a due schedule into firings and intents."""

import json
import uuid
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.cadence import Turn
from slowwave.core.policy import BARE, Policies
from slowwave.domain.job_table import (
    ARCHIVE,
    DECAY,
    GROW,
    INSTALLATION,
    JOBS,
    PROMOTE,
    PUSHED,
    RECONSIDER,
    REEMBED,
    RETELL,
    SLICED,
    SLICES,
    SWEEP,
)
from slowwave.domain.overview import Due
from slowwave.domain.scope import SYSTEM_TENANT, Scope
from slowwave.errors import Fault, NotFound
from slowwave.ports import Fired, Schedule
from slowwave.store import processes, transaction
from slowwave.store.database import Database
from slowwave.store.packs import PackEntry
from slowwave.store.statements import execute

DUE = {
    DECAY: "tiers/decay_due_slices",
    SWEEP: "tiers/sweep_due_slices",
    ARCHIVE: "retention/due_slices",
    PROMOTE: "promotion/due_scopes",
    **dict.fromkeys(INSTALLATION, "schedule/due_installation"),
}
"""The statement that finds scopes or slices with work, by job. For any other job, a firing makes waiting work due.

A statement acts as the role `slowwave_dispatch`, which reads all tenants, but only the columns that the schema grants
to it.
"""
_REQUESTED = frozenset({GROW, REEMBED, RETELL, RECONSIDER})
"""The jobs on a scope for which other jobs create the intents."""


def finds_work(job: str) -> bool:
    """Return True if a firing finds the work of *job*: by a statement, or as requests of pushes or other jobs."""
    return job in DUE or job in _REQUESTED or JOBS[job].works in ("window", "letters")


SYSTEM_SCOPE = uuid.UUID(int=0)
"""The scope of a firing that concerns the installation."""
MOST_AGES = 10_000
"""The maximum number of scopes whose maximum ages fire in one transaction. The next tick fires the other scopes."""


class PostgresSchedule:
    """The schedules. Every method is one transaction. It raises `Unavailable`, or `Conflict` after a lost race.

    *lease_seconds* is the length of a lease. A lease that ends much later is due to a wrong clock, and counts as
    expired. A window of a schedule is an occasion to fire, such as a clock time.

    *policies* returns the retention periods in force when the archive job is due.
    """

    def __init__(
        self, database: Database, *, lease_seconds: float, policies: Callable[[], Policies] = lambda: Policies(BARE)
    ) -> None:
        self._database = database
        self._lease_seconds = lease_seconds
        self._policies = policies

    def fire_ages(self, *, by: str) -> list[Fired]:
        """Fire for pending work that has reached its maximum age."""
        return self._fired("schedule/ages", by)

    def fire_idle(self, *, by: str) -> list[Fired]:
        """Fire idle schedules for scopes that had no new episodes for the idle time of a pack."""
        return self._fired("schedule/idle", by)

    def due(self) -> list[str]:
        """Return the names of the due cron and interval schedules, the longest overdue first."""
        return [row["schedule"] for row in self._rows("schedule/due")]

    def fire(self, name: str, decide: Callable[[Schedule, datetime], Turn], *, by: str) -> Fired | None:
        """Fire a schedule for the windows that *decide* returns, in the scopes with pending work.

        Returns None if the schedule is no longer due or another scheduler is processing it.
        """
        with self._database.dispatch() as connection:
            found = _rows(connection, "schedule/take", schedule=name)
            if not found:
                return None
            now = found[0].pop("now")
            schedule = Schedule(**found[0])

            turn = decide(schedule, now)

            fired = _fire(connection, schedule, turn.keys, by, self._policies())
            connection.exec_driver_sql(
                "UPDATE schedules SET next_due = %(next_due)s WHERE schedule = %(name)s",
                {"name": name, "next_due": turn.next_due},
            )
            return fired

    def fire_manually(
        self, *, by: str, tenant: str | None = None, scopes: Sequence[uuid.UUID] | None = None, pack: str | None = None
    ) -> list[Due]:
        """Fire at once for scopes with work, of *tenant* or of all tenants; return the work that is now due."""
        rows = self._rows(
            "schedule/fire_manually",
            tenant=tenant,
            scopes=None if scopes is None else list(scopes),
            pack=pack,
            pushed=list(PUSHED),
            key=str(uuid.uuid4()),
            by=by,
        )
        return _distinct(rows)

    def fire_job(self, job: str, pack: str, *, by: str) -> int:
        """Fire at once a job that reads no episodes; return the number of scopes or slices for which the job is due.

        Raises `Fault` if no firing finds the work of *job*.
        """
        if not finds_work(job):
            raise Fault(
                f"no firing finds work for the job {job!r}: it would never run",
                hint="add the statement that finds its work to DUE in store/schedule/schedule.py",
            )
        schedule = Schedule(f"{job}/manual", job, pack, "manual")
        with self._database.dispatch() as connection:
            return _fire(connection, schedule, [str(uuid.uuid4())], by, self._policies()).scopes

    def fire_scope(
        self, name: str, scope: Scope, key: str, *, by: str, target: int | None = None, tier: str | None = None
    ) -> list[Due]:
        """Fire a schedule for one scope and window, once; return the work that is now due.

        *key* names the window. If the window fired before, nothing is due. If a *target* is given, only work up to this
        position is due, and later work keeps waiting. If *tier* is given, this tier has overflowed, and a schedule for
        another tier does not fire.
        """
        with self._database.dispatch() as connection:
            return fire_scope(connection, name, scope.id, scope.tenant, key, by=by, target=target, tier=tier)

    def end_session(self, scope: Scope, session: str, *, by: str) -> list[Due]:
        """Fire the session-end schedules, once per newest episode of the scope; return the work that is now due."""
        with self._database.dispatch() as connection:
            return end_session(connection, scope.id, session, by=by)

    def runnable(self, *, most: int) -> list[Due]:
        """Return at most *most* items of due work in scopes without a running job, oldest first."""
        return _distinct(self._rows("schedule/runnable", most=most, lease=self._lease_seconds))

    def ahead(self) -> list[tuple[Schedule, datetime]]:
        """Return the cron and interval schedules whose next window is in the future, each with the present time."""
        rows = [(row.pop("now"), row) for row in self._rows("schedule/ahead")]
        return [(Schedule(**row), now) for now, row in rows]

    def call_back(self) -> None:
        """Make requested and running work due that a clock, set back since, has dated in the future."""
        with self._database.dispatch() as connection:
            execute(connection, "schedule/call_back")

    def orphans(self, *, by: str) -> list[Due]:
        """Create missing intents for pending work, and return this work. Intents are missing only after a defect."""
        found = self._rows("schedule/orphans", by=by, pushed=list(PUSHED))
        return _distinct([*found, *self._rows("pending_windows/orphans")])

    def progressed(self, *, by: str) -> None:
        """Record that this scheduler has completed a tick."""
        with self._database.dispatch() as connection:
            processes.record_sign_of_life(connection, by, "scheduler")

    def now(self) -> datetime:
        """Return the database's time."""
        with self._database.dispatch() as connection:
            return transaction.now(connection)

    def schedules(self) -> list[Schedule]:
        """Return every schedule, by name."""
        return [Schedule(**row) for row in self._rows("schedule/list")]

    def pause(self, name: str) -> None:
        """Pause a schedule. Work that waits for a paused maximum age keeps waiting. Raises `NotFound`."""
        self._switch(name, paused=True)

    def resume(self, name: str) -> None:
        """Resume a schedule from now on. Windows that passed meanwhile do not fire. Raises `NotFound`."""
        self._switch(name, paused=False)

    def reset(self, name: str, next_due: datetime) -> None:
        """Clear the next window of a schedule if this window is still *next_due*.

        The next window is then computed again.
        """
        with self._database.dispatch() as connection:
            connection.exec_driver_sql(
                "UPDATE schedules SET next_due = NULL WHERE schedule = %(name)s AND next_due = %(next_due)s",
                {"name": name, "next_due": next_due},
            )

    def registered(self, packs: Collection[str]) -> tuple[list[PackEntry], list[Schedule]]:
        """Return the active packs among *packs*, and their registered schedules."""
        wanted = {"packs": list(packs)}
        with self._database.dispatch() as connection:
            found = connection.exec_driver_sql(
                "SELECT pack, job, version, digest FROM packs WHERE active AND pack = ANY(%(packs)s)", wanted
            )
            entries = [PackEntry(row.pack, row.job, row.version, bytes(row.digest)) for row in found]
            schedules = _rows(connection, "schedule/registered", **wanted)
            return entries, [Schedule(**row) for row in schedules]

    def _switch(self, name: str, *, paused: bool) -> None:
        with self._database.dispatch() as connection:
            row = connection.exec_driver_sql(
                "UPDATE schedules SET paused = %(paused)s, next_due = CASE WHEN %(paused)s THEN next_due END "
                "WHERE schedule = %(name)s RETURNING job, pack, kind, CASE WHEN NOT paused THEN seconds END AS seconds",
                {"name": name, "paused": paused},
            ).one_or_none()
            if row is None:
                raise NotFound(f"there is no schedule {name!r}", hint="`slowwave schedule list` names them all")
            if row.kind == "idle" and row.seconds is not None:
                execute(connection, "schedule/wait_idle", job=row.job, pack=row.pack)
            if row.kind == "age":
                execute(connection, "schedule/wait", job=row.job, pack=row.pack, seconds=row.seconds)

    def _fired(self, statement: str, by: str) -> list[Fired]:
        return [Fired(row["schedule"], (), row["scopes"]) for row in self._rows(statement, most=MOST_AGES, by=by)]

    def _rows(self, statement: str, **parameters: Any) -> list[dict[str, Any]]:
        with self._database.dispatch() as connection:
            return _rows(connection, statement, **parameters)


def fire_scope(
    connection: Connection,
    name: str,
    scope: uuid.UUID,
    tenant: str,
    key: str,
    *,
    by: str,
    target: int | None = None,
    tier: str | None = None,
) -> list[Due]:
    """Fire a schedule for one scope and window within a transaction; see `PostgresSchedule.fire_scope`."""
    window = {"scope": scope, "tenant": tenant, "key": key, "target": target, "tier": tier}
    return _distinct(_rows(connection, "schedule/fire_scope", schedule=name, by=by, standing=list(SLICED), **window))


def end_session(
    connection: Connection, scope: uuid.UUID, session: str, *, by: str, position: int | None = None
) -> list[Due]:
    """Fire the session-end schedules in a transaction, once per *position*.

    The default is the newest episode's position.
    """
    return _distinct(_rows(connection, "schedule/fire_session", scope=scope, session=session, position=position, by=by))


def _rows(connection: Connection, statement: str, **parameters: Any) -> list[dict[str, Any]]:
    return [dict(row) for row in execute(connection, statement, **parameters).mappings()]


def _fire(connection: Connection, schedule: Schedule, keys: Sequence[str], by: str, policies: Policies) -> Fired:
    if not keys:
        return Fired(schedule.name, (), 0)
    asked = {"schedule": schedule.name, "job": schedule.job, "pack": schedule.pack, "last": keys[-1], "by": by}
    system = {"system_scope": SYSTEM_SCOPE, "system_tenant": SYSTEM_TENANT}
    proven = sorted(row["at_window"] for row in _rows(connection, "schedule/prove", **asked, **system, keys=list(keys)))
    if keys[-1] not in proven:
        return Fired(schedule.name, tuple(proven), 0)
    if schedule.job not in DUE:
        (row,) = _rows(connection, "schedule/hasten", **asked)
        return Fired(schedule.name, tuple(proven), row["scopes"])
    periods = json.dumps(policies.periods)
    due = _rows(connection, DUE[schedule.job], **asked, **system, slices=SLICES, periods=periods)
    columns = {f"{name}s": [row[name] for row in due] for name in ("scope", "tenant", "slice")}
    (row,) = _rows(connection, "schedule/fire_due", **asked, **columns)
    return Fired(schedule.name, tuple(proven), row["scopes"])


def _distinct(rows: Sequence[dict[str, Any]]) -> list[Due]:
    """Return one entry per (scope, job). If several packs have an entry, the entry of the oldest pack is returned."""
    found: dict[tuple[uuid.UUID, str], Due] = {}
    for row in sorted(rows, key=lambda row: row["since"]):
        found.setdefault((row["scope"], row["job"]), Due(**row))
    return list(found.values())
