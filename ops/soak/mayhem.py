"""Random faults, one every few seconds, the same ones for the same seed."""

import random
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from threading import Event

import psutil

from slowwave.runtime import clock
from slowwave.testing import move_clock
from tests.faults.rig.ground import LEASE_SECONDS, Ground
from tests.faults.rig.processes import Process, limit
from tests.faults.rig.proxy import MODES, Proxy
from tests.faults.rig.tumult import Locksmith, evicting, exhausted, read_only

EVERY_SECONDS = 3.0
WRITES = 50
"""Large keys that come into a Redis without room."""
SPARE_BYTES = 32 * 1024 * 1024
"""What a worker's child may still take where its memory is limited."""


@dataclass
class Mayhem:
    """What may be hurt: the servers, the line to Redis, and the processes by their role.

    Those that are killed are restarted elsewhere.
    """

    ground: Ground
    seed: int
    database: str
    line: Proxy
    workers: Sequence[Process]
    schedulers: Sequence[Process]
    pushers: Sequence[Process]
    done: Counter[str] = field(default_factory=Counter)

    def play(self, seconds: float, look: Callable[[], None]) -> None:
        """Do harm for *seconds*, and *look* after each."""
        dice = random.Random(self.seed)
        self._locksmith = Locksmith(self.ground, self.database, dice)
        faults = [
            self.kill_a_child, self.kill_a_child, self.kill_a_worker, self.kill_a_group, self.freeze_a_group,
            self.kill_a_scheduler, self.kill_a_pusher, self.kill_redis, self.flush_redis, self.freeze_redis,
            self.kill_postgres, self.end_sessions, self.lock_and_hit, self.take_every_slot, self.break_the_line,
            self.evict, self.forbid_writes, self.limit_memory, self.hang_up, self.move_the_clock,
        ]  # fmt: skip
        end, wait = clock.monotonic() + seconds, Event()
        while clock.monotonic() < end:
            fault = dice.choice(faults)
            with suppress(psutil.NoSuchProcess, ProcessLookupError):  # it ended by itself just before
                fault(dice)
            self.done[fault.__name__] += 1
            look()
            wait.wait(dice.uniform(0.5, 1.5) * EVERY_SECONDS)

    def kill_a_child(self, dice: random.Random) -> None:
        """Kill one child of a worker, alone."""
        children = [child for worker in self.workers if worker.running for child in worker.children()]
        if children:
            dice.choice(children).kill()

    def kill_a_worker(self, dice: random.Random) -> None:
        """Kill a worker's main process; its children may live on."""
        _one(dice, self.workers, Process.kill)

    def kill_a_group(self, dice: random.Random) -> None:
        """Kill a worker with all its children, as a machine that is lost."""
        _one(dice, self.workers, Process.kill_group)

    def freeze_a_group(self, dice: random.Random) -> None:
        """Stop a worker and its children for longer than their leases."""
        worker = dice.choice(self.workers)
        if worker.running:
            worker.signal_group(signal.SIGSTOP)
            Event().wait(2.5 * LEASE_SECONDS)
            worker.signal_group(signal.SIGCONT)

    def kill_a_scheduler(self, dice: random.Random) -> None:
        """Kill a scheduler."""
        _one(dice, self.schedulers, Process.kill_group)

    def kill_a_pusher(self, dice: random.Random) -> None:
        """Kill a pusher, perhaps between a commit and its log."""
        _one(dice, self.pushers, Process.kill_group)

    def kill_redis(self, _dice: random.Random) -> None:
        """Kill Redis and start it again empty."""
        self.ground.redis.kill()
        self.ground.redis.start()

    def flush_redis(self, _dice: random.Random) -> None:
        """Throw away everything in Redis."""
        self.ground.broker().flushall()

    def freeze_redis(self, _dice: random.Random) -> None:
        """Let Redis answer nothing for a while."""
        self.ground.redis.freeze()
        Event().wait(EVERY_SECONDS)
        self.ground.redis.thaw()

    def kill_postgres(self, _dice: random.Random) -> None:
        """Kill Postgres and let it recover."""
        self.ground.postgres.kill()
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

    def take_every_slot(self, _dice: random.Random) -> None:
        """Let nobody into Postgres for a while."""
        with exhausted(self.ground, self.database):
            Event().wait(EVERY_SECONDS)

    def break_the_line(self, dice: random.Random) -> None:
        """Reset every line to Redis, or have them fail in another way for a while."""
        mode = dice.choice((None, *MODES))
        if mode is None:
            self.line.reset()
            return
        self.line.fail(mode)
        Event().wait(EVERY_SECONDS)
        self.line.fail("sound")

    def evict(self, _dice: random.Random) -> None:
        """Let Redis have little room for a while, and throw away what it has."""
        with evicting(self.ground.broker()) as pressure:
            for _ in range(WRITES):
                pressure.costs_others()

    def forbid_writes(self, _dice: random.Random) -> None:
        """Let Postgres take no writes for a while."""
        with read_only(self.ground, self.database):
            Event().wait(EVERY_SECONDS)

    def limit_memory(self, dice: random.Random) -> None:
        """Leave one child of a worker little more memory than it has."""
        children = [child for worker in self.workers if worker.running for child in worker.children()]
        if children:
            limit(dice.choice(children), SPARE_BYTES)

    def hang_up(self, dice: random.Random) -> None:
        """Send a worker or a scheduler the signal of a closed terminal, or the one that asks it to quit."""
        asked = dice.choice((signal.SIGHUP, signal.SIGQUIT))
        _one(dice, [*self.workers, *self.schedulers], lambda process: process.ask(asked))

    def move_the_clock(self, dice: random.Random) -> None:
        """Let the database's clock be an hour off for a while."""
        address = self.ground.postgres.url("slowwave_owner", self.database)
        move_clock(address, dice.choice((-1, 1)) * timedelta(hours=1))
        Event().wait(EVERY_SECONDS)
        move_clock(address, timedelta())


def _one(dice: random.Random, processes: Sequence[Process], act: Callable[[Process], None]) -> None:
    process = dice.choice(processes)
    if process.running:
        act(process)
