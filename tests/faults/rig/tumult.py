"""What a careless operator does to a Postgres: locks held, sessions cancelled or ended at random, no slot left free."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from threading import Event

import psycopg
from psycopg import sql

from tests.faults.rig.ground import Ground
from tests.faults.rig.waiting import until

TABLES = ("episodes", "scope_heads", "intents", "scope_leases", "watermarks", "runs", "facts", "deltas")
CHANGED = ("scope_heads", "intents", "scope_leases", "watermarks")
"""Tables whose rows are updated again and again: who works waits for a lock of all of them."""
LOOKS, LOOK_SECONDS = 250, 0.02
WAITING = "SELECT pid FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid)) ORDER BY pid"
"""Who waits for a lock of one session; nobody reads a table for it."""
OURS = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND application_name = 'slowwave' ORDER BY pid"


@dataclass
class Locksmith:
    """Locks tables or rows at random until somebody waits, and cancels or ends who does."""

    ground: Ground
    database: str
    dice: random.Random
    cancelled: int = 0
    ended: int = 0

    def turn(self) -> None:
        """Hold one lock until somebody waits for it, or nobody comes; then hit one of those, and one of all."""
        with (
            self.ground.superuser(self.database) as watcher,
            psycopg.connect(self.ground.postgres.url("postgres", self.database)) as holder,
        ):
            holder.execute("SET lock_timeout = '2s'")
            try:
                self._lock(holder)
            except psycopg.errors.LockNotAvailable:
                return
            self._hit(watcher, self._held_up(watcher, holder.info.backend_pid))
            self._hit(watcher, watcher.execute(OURS, [self.database]).fetchall())

    def _lock(self, holder: psycopg.Connection) -> None:
        if self.dice.random() < 0.5:
            holder.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(self._one_of(TABLES)))
        else:
            holder.execute(sql.SQL("SELECT FROM {} FOR UPDATE").format(self._one_of(CHANGED)))

    def _one_of(self, tables: tuple[str, ...]) -> sql.Identifier:
        return sql.Identifier(self.dice.choice(tables))

    def _held_up(self, watcher: psycopg.Connection, holder: int) -> list[tuple[int]]:
        for _ in range(LOOKS):
            if waiting := watcher.execute(WAITING, [holder]).fetchall():
                return waiting
            Event().wait(LOOK_SECONDS)
        return []

    def _hit(self, watcher: psycopg.Connection, sessions: list[tuple[int]]) -> None:
        if not sessions:
            return
        (pid,) = self.dice.choice(sessions)
        if self.dice.random() < 0.5:
            self.ended += watcher.execute("SELECT pg_terminate_backend(%s)", [pid]).fetchone() == (True,)
        else:
            self.cancelled += watcher.execute("SELECT pg_cancel_backend(%s)", [pid]).fetchone() == (True,)


@contextmanager
def exhausted(ground: Ground, database: str) -> Iterator[None]:
    """Take every slot there is for users, those of *database*'s own sessions too; let them go again afterwards."""
    with ExitStack() as stack, ground.superuser() as superuser:
        address = ground.postgres.url("slowwave", database)

        def taken() -> bool:
            superuser.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'slowwave' AND datname = %s",
                [database],
            )
            try:
                while True:
                    stack.enter_context(psycopg.connect(address, application_name="taker", connect_timeout=3))
            except psycopg.OperationalError as error:
                if "slots are reserved" not in str(error) and "too many clients" not in str(error):
                    raise
            return not superuser.execute(OURS, [database]).fetchall()

        until(taken, "every slot is taken", look=0.01)
        yield
