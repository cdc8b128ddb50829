"""Mistakes of an operator: held locks, sessions ended at random, no free connection, a Redis that evicts."""

import random
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from threading import Event

import psycopg
from psycopg import sql
from redis import Redis
from redis.exceptions import OutOfMemoryError

from tests.faults.rig.ground import Ground
from tests.faults.rig.processes import until

TABLES = ("episodes", "scope_heads", "intents", "scope_leases", "watermarks", "runs", "facts", "deltas")
CHANGED = ("scope_heads", "intents", "scope_leases", "watermarks")
"""Tables with frequently updated rows: every worker needs a lock on all of them."""
LOOKS, LOOK_SECONDS = 250, 0.02
WAITING = "SELECT pid FROM pg_stat_activity WHERE %s = ANY(pg_blocking_pids(pid)) ORDER BY pid"
"""Selects the sessions that wait for a lock of one session; it reads no table."""
LEFT = """
SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
    - current_setting('reserved_connections')::int - count(*)
FROM pg_stat_activity
WHERE backend_type = 'client backend' AND usename = 'postgres'
"""
"""Selects the number of connection slots that superusers leave to other users."""
DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = %s"
COUNTED_SECONDS = 1.5
"""The seconds within which Postgres counts the end of a session."""
OURS = "SELECT pid FROM pg_stat_activity WHERE datname = %s AND application_name = 'slowwave' ORDER BY pid"


@dataclass
class Locksmith:
    """Locks tables or rows at random until a session waits, and cancels or ends waiting sessions."""

    ground: Ground
    database: str
    dice: random.Random
    cancelled: int = 0
    ended: int = 0

    def turn(self) -> None:
        """Hold one lock until a session waits, or time is up; then cancel or end one waiting and one other session."""
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

    def cross(self) -> bool:
        """Lock rows of a table until a session waits, then want all other tables; return whether it lost a deadlock.

        This session is the last to look for a deadlock; it gives up in the end, for the other may hold nothing.
        """
        first = self.dice.choice(CHANGED)
        others = sql.SQL(", ").join(sql.Identifier(table) for table in TABLES if table != first)
        with (
            self.ground.superuser(self.database) as watcher,
            psycopg.connect(self.ground.postgres.url("postgres", self.database)) as holder,
        ):
            holder.execute("SET lock_timeout = '4s'; SET deadlock_timeout = '1min'")
            lost = watcher.execute(DEADLOCKS, [self.database]).fetchall()
            with suppress(psycopg.errors.LockNotAvailable):
                holder.execute(sql.SQL("SELECT FROM {} FOR UPDATE").format(sql.Identifier(first)))
                if self._held_up(watcher, holder.info.backend_pid):
                    holder.execute(sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(others))
            holder.rollback()
            Event().wait(COUNTED_SECONDS)
            return watcher.execute(DEADLOCKS, [self.database]).fetchall() > lost

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


def end_sessions(superuser: psycopg.Connection, database: str) -> int:
    """End every session of ours on *database*; return their number."""
    return superuser.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'slowwave' AND datname = %s",
        [database],
    ).rowcount


@contextmanager
def exhausted(ground: Ground, database: str) -> Iterator[None]:
    """Take every slot there is for users, those of *database*'s own sessions too; let them go again afterwards.

    What ends or begins meanwhile holds a slot that nobody sees yet, and which is free a moment later: the slots that
    are held here are counted.
    """
    held: list[psycopg.Connection] = []
    with ExitStack() as stack, ground.superuser() as superuser:
        address = ground.postgres.url("slowwave", database)

        def taken() -> bool:
            end_sessions(superuser, database)
            try:
                while True:
                    held.append(
                        stack.enter_context(psycopg.connect(address, application_name="taker", connect_timeout=3))
                    )
            except psycopg.OperationalError as error:
                if "slots are reserved" not in str(error) and "too many clients" not in str(error):
                    raise
            return superuser.execute(LEFT).fetchall() <= [(len(held),)]

        until(taken, "every slot is taken", look=0.01)
        yield


@contextmanager
def read_only(ground: Ground, database: str) -> Iterator[None]:
    """Make *database* read-only during the block; sessions that began meanwhile are not ended afterwards."""
    with ground.superuser() as superuser:
        superuser.execute(f"ALTER DATABASE {database} SET default_transaction_read_only = on")
        end_sessions(superuser, database)
        try:
            yield
        finally:
            superuser.execute(f"ALTER DATABASE {database} RESET default_transaction_read_only")


@dataclass
class Pressure:
    """Writes large keys into a Redis that evicts, and counts the evicted keys of others."""

    broker: Redis
    before: int
    written: int = 0

    def costs_others(self) -> int:
        """Write another key; return the number of evicted keys of others so far."""
        with suppress(OutOfMemoryError):  # everything that can go is gone
            self.broker.set(f"pressure:{self.written}", b"x" * PRESSURE_BYTES)
            self.written += 1
        left = len(self.broker.keys("pressure:*"))
        return evicted(self.broker) - self.before - (self.written - left)


PRESSURE_BYTES = 16_384
"""A key's; the room of an evicting Redis holds a few of them."""


@contextmanager
def evicting(broker: Redis) -> Iterator[Pressure]:
    """Let a running Redis have little memory and evict by last use, as for a cache."""
    broker.config_set("maxmemory-policy", "allkeys-lru")
    broker.config_set("maxmemory", broker.info("memory")["used_memory"] + 8 * PRESSURE_BYTES)
    try:
        yield Pressure(broker, evicted(broker))
    finally:
        broker.config_set("maxmemory", 0)
        broker.config_set("maxmemory-policy", "noeviction")


def evicted(broker: Redis) -> int:
    """Return how many keys a Redis has evicted since it started."""
    return int(broker.info("stats")["evicted_keys"])
