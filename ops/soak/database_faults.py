"""Faults of Postgres, of the line to it, of its disk, its clock and its schema; some last while others begin."""

import random
import signal
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event, Timer

import psutil
import psycopg
from psycopg import sql

from slowwave.errors import SlowwaveError
from slowwave.store.engine import LOCK_MS, STATEMENT_MS
from slowwave.testing import move_clock
from tests.faults.rig.disk import Disk
from tests.faults.rig.ground import LEASE_SECONDS, Ground, environment
from tests.faults.rig.processes import Process, python, until
from tests.faults.rig.proxy import MODES, Proxy
from tests.faults.rig.tumult import CHANGED, TABLES, Locksmith, exhausted, read_only

HELD_SECONDS = LOCK_MS / 1000 + 1
OUTLASTED_SECONDS = STATEMENT_MS / 1000 + 5
FROZEN_SECONDS = 6.0
MIGRATION_SECONDS = 60.0
_OUTLASTING = """
CREATE OR REPLACE FUNCTION rig.outlast() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_TABLE_NAME = {table} AND random() < 0.1 THEN
        PERFORM pg_sleep({seconds});
    END IF;
    RETURN NULL;
END $$
"""
_TRIGGER = "CREATE TRIGGER outlast BEFORE INSERT OR UPDATE ON {} FOR EACH STATEMENT EXECUTE FUNCTION rig.outlast()"


@dataclass
class DatabaseFaults:
    """A database that may be hurt, the *second_line* to it, and its *disk*, if it has one that can be filled."""

    ground: Ground
    seed: int
    database: str
    every_seconds: float
    second_line: Proxy
    disk: Disk | None
    folder: Path
    met: Counter[str] = field(default_factory=Counter)
    _lasting: list[Timer] = field(default_factory=list)

    def prepare(self) -> None:
        """Make ready what faults need, before anybody is at work."""
        self._locksmith = Locksmith(self.ground, self.database, random.Random(self.seed))
        env = environment(self.ground.settings(self.database))
        self._migration = Process(python("slowwave.cli", "db", "migrate"), env, self.folder / "migrate.log")
        with self.ground.superuser(self.database) as connection:
            connection.execute("CREATE SCHEMA rig")
            connection.execute(_outlasting(None))
            for table in TABLES:
                connection.execute(sql.SQL(_TRIGGER).format(sql.Identifier(table)))

    def database_faults(self) -> list[Callable[[random.Random], None]]:
        """Return every fault that can be made here."""
        faults = [
            self.kill_postgres, self.end_sessions, self.lock_and_hit, self.cross_locks, self.hold_a_lock,
            self.outlast_statements,
            self.freeze_a_session, self.take_every_slot, self.forbid_writes, self.break_the_second_line,
            self.move_the_clock, self.jump_the_clock, self.migrate,
        ]  # fmt: skip
        return [*faults, self.fill_the_disk] if self.disk else faults

    def heal(self) -> None:
        """Wait until every fault that lasts is over."""
        for lasting in self._lasting:
            lasting.join()
        if self._migration.running:
            self._migration.kill_group()

    def kill_postgres(self, dice: random.Random) -> None:
        """Kill Postgres and let it recover, at once or later."""
        self.ground.postgres.kill()
        Event().wait(dice.choice((0.0, 2.0)) * self.every_seconds)
        self.ground.postgres.start()

    def end_sessions(self, _dice: random.Random) -> None:
        """End every session of ours."""
        with self.ground.superuser() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )

    def lock_and_hit(self, _dice: random.Random) -> None:
        """Lock tables or rows at random, and cancel or end who waits."""
        self._locksmith.turn()

    def cross_locks(self, _dice: random.Random) -> None:
        """Wait for what a session holds that waits for us: it loses the deadlock, if there is one."""
        self.met["deadlocks"] += self._locksmith.cross()

    def hold_a_lock(self, dice: random.Random) -> None:
        """Hold a table, or all its rows, for longer than anybody waits for a lock."""
        holder = psycopg.connect(self.ground.postgres.url("postgres", self.database))
        tables, how = dice.choice(
            ((TABLES, "LOCK TABLE {} IN ACCESS EXCLUSIVE MODE"), (CHANGED, "SELECT FROM {} FOR UPDATE"))
        )
        with suppress(psycopg.errors.LockNotAvailable, psycopg.OperationalError):
            holder.execute("SET lock_timeout = '2s'")
            holder.execute(sql.SQL(how).format(sql.Identifier(dice.choice(tables))))
            self.met["locks held"] += 1
        self.lasts(HELD_SECONDS, holder.close)

    def outlast_statements(self, dice: random.Random) -> None:
        """Let one in ten writes of a table take longer than any statement may."""
        with self.ground.superuser(self.database) as connection:
            connection.execute(_outlasting(dice.choice(TABLES)))
        self.lasts(OUTLASTED_SECONDS, self._outlast_none)

    def _outlast_none(self) -> None:
        def done() -> bool:
            with suppress(psycopg.Error), self.ground.superuser(self.database) as connection:
                connection.execute("SET transaction_read_only = off")
                ((sleeping,),) = connection.execute(
                    "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND wait_event = 'PgSleep'",
                    [self.database],
                ).fetchall()
                connection.execute(_outlasting(None))
                self.met["statements still asleep"] += sleeping
                return True
            return False

        until(done, "statements are quick again")

    def freeze_a_session(self, dice: random.Random) -> None:
        """Stop a process of Postgres in its tracks: a session of ours, or one that writes to the disk."""
        with self.ground.superuser() as connection:
            found = connection.execute(
                "SELECT pid FROM pg_stat_activity WHERE (datname = %s AND usename <> 'postgres') "
                "OR backend_type IN ('checkpointer', 'walwriter', 'background writer') ORDER BY pid",
                [self.database],
            ).fetchall()
        victim = psutil.Process(dice.choice(found)[0])
        victim.send_signal(signal.SIGSTOP)
        self.met["sessions frozen"] += 1

        def thaw() -> None:
            with suppress(psutil.NoSuchProcess):
                victim.send_signal(signal.SIGCONT)

        self.lasts(FROZEN_SECONDS, thaw)

    def take_every_slot(self, _dice: random.Random) -> None:
        """Let nobody into Postgres for a while."""
        with exhausted(self.ground, self.database):
            Event().wait(self.every_seconds)

    def forbid_writes(self, _dice: random.Random) -> None:
        """Let Postgres take no writes for a while."""
        with read_only(self.ground, self.database):
            Event().wait(self.every_seconds)

    def break_the_second_line(self, dice: random.Random) -> None:
        """Reset every line to Postgres, or have them fail in another way; those who are not on it work on."""
        mode = dice.choice((None, *MODES))
        if mode is None:
            self.second_line.reset()
            return
        self.second_line.fail(mode)
        self.met[f"lines to Postgres {mode}"] += 1
        self.lasts(self.every_seconds, lambda: self.second_line.fail("sound"))

    def fill_the_disk(self, _dice: random.Random) -> None:
        """Leave no room for another page of a table, for a while."""
        assert self.disk is not None
        self.disk.shrink()
        try:
            Event().wait(self.every_seconds)
            self.met["disks full"] += self.disk.full
        finally:
            self.disk.grow()

    def move_the_clock(self, dice: random.Random) -> None:
        """Let the database's clock be an hour off for a while."""
        self._set_clock(dice.choice((-1, 1)) * timedelta(hours=1))
        Event().wait(self.every_seconds)
        self._set_clock(timedelta())

    def jump_the_clock(self, dice: random.Random) -> None:
        """Let the database's clock jump forth and back by less and by more than a lease."""
        for sign in dice.choice(((1, -1), (-1, 1))):
            self._set_clock(sign * timedelta(seconds=dice.uniform(0.5, 3) * LEASE_SECONDS))
            Event().wait(self.every_seconds / 3)
        self._set_clock(timedelta())

    def _set_clock(self, offset: timedelta) -> None:
        address = self.ground.postgres.url("slowwave_owner", self.database)

        def done() -> bool:
            with suppress(SlowwaveError):  # the lock is held, or a migration runs
                move_clock(address, offset)
                return True
            return False

        until(done, "the clock is set")

    def migrate(self, _dice: random.Random) -> None:
        """Run `slowwave db migrate`, which finds nothing to do, while everybody works."""
        if self._migration.running:
            return
        self._migration.start()

        def end() -> None:
            if self._migration.running:
                self._migration.kill_group()
            self.met["migrations done"] += self._migration.succeeded

        self.lasts(MIGRATION_SECONDS, end)

    def lasts(self, seconds: float, end: Callable[[], None]) -> None:
        """Let the *end* of a fault come after so many *seconds*, while others begin."""
        lasting = Timer(seconds, end)
        lasting.daemon = True
        lasting.start()
        self._lasting = [each for each in self._lasting if each.is_alive()] + [lasting]


def _outlasting(table: str | None) -> sql.Composed:
    return sql.SQL(_OUTLASTING).format(table=sql.Literal(table or ""), seconds=sql.Literal(OUTLASTED_SECONDS))
