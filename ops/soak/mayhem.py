"""Random faults, one every few seconds, the same ones for the same seed."""

import random
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event

import psutil
import psycopg
from redis.exceptions import RedisError

from ops.soak.database_faults import DatabaseFaults
from slowwave.runtime import clock
from tests.faults.rig.ground import LEASE_SECONDS
from tests.faults.rig.processes import Process, limit
from tests.faults.rig.proxy import MODES, Proxy
from tests.faults.rig.tumult import evicting

WRITES = 50
"""The number of large keys that are written into a Redis that is full."""
SPARE_BYTES = 32 * 1024 * 1024
"""Additional memory that a worker's child may allocate while its memory is limited."""


@dataclass(kw_only=True)
class Mayhem(DatabaseFaults):
    """The targets of faults: the servers, the lines to them, and the processes by role.

    Those that are killed are restarted elsewhere.
    """

    line: Proxy
    workers: Sequence[Process]
    schedulers: Sequence[Process]
    pushers: Sequence[Process]
    done: Counter[str] = field(default_factory=Counter)

    def play(self, seconds: float, look: Callable[[], None]) -> None:
        """Do harm for *seconds*, and *look* after each; then wait until whatever lasts is over."""
        dice = random.Random(self.seed)
        faults = [
            self.kill_a_child, self.kill_a_child, self.kill_a_worker, self.kill_a_group, self.freeze_a_group,
            self.kill_a_scheduler, self.kill_a_pusher, self.kill_redis, self.flush_redis, self.freeze_redis,
            self.break_the_line, self.end_redis_clients, self.evict, self.fill_redis, self.limit_memory,
            self.ask_to_end, self.freeze_the_schedulers, *self.database_faults(),
        ]  # fmt: skip
        begin = clock.monotonic()
        due, wait = begin, Event()
        while due < begin + seconds:
            fault = dice.choice(faults)
            try:
                fault(dice)
            except (psutil.NoSuchProcess, ProcessLookupError, psycopg.OperationalError, RedisError):
                self.met["faults in vain"] += 1  # the target has just ended, or an earlier fault prevents this one
            else:
                self.done[fault.__name__] += 1
            look()
            due += dice.uniform(0.5, 1.5) * self.every_seconds
            wait.wait(max(0.0, due - clock.monotonic()))
        self.heal()
        self.ground.redis.durable = False

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
            self.lasts(2.5 * LEASE_SECONDS, lambda: worker.signal_group(signal.SIGCONT))

    def kill_a_scheduler(self, dice: random.Random) -> None:
        """Kill a scheduler."""
        _one(dice, self.schedulers, Process.kill_group)

    def kill_a_pusher(self, dice: random.Random) -> None:
        """Kill a pusher, perhaps between a commit and its log."""
        _one(dice, self.pushers, Process.kill_group)

    def freeze_the_schedulers(self, _dice: random.Random) -> None:
        """Let no scheduler tick for a while, and all of them at once after it."""

        def tell(number: signal.Signals) -> None:
            for scheduler in self.schedulers:
                scheduler.signal_group(number)

        tell(signal.SIGSTOP)
        self.lasts(3 * self.every_seconds, lambda: tell(signal.SIGCONT))

    def kill_redis(self, dice: random.Random) -> None:
        """Kill Redis and start it again, empty or with what its log kept, which may be old."""
        self.ground.redis.kill()
        self.ground.redis.durable = dice.random() < 0.5
        self.ground.redis.start()

    def flush_redis(self, _dice: random.Random) -> None:
        """Throw away everything in Redis."""
        self.ground.broker().flushall()

    def freeze_redis(self, _dice: random.Random) -> None:
        """Let Redis answer nothing for a while."""
        self.ground.redis.freeze()
        Event().wait(self.every_seconds)
        self.ground.redis.thaw()

    def break_the_line(self, dice: random.Random) -> None:
        """Reset every line to Redis, or have them fail in another way for a while."""
        mode = dice.choice((None, *MODES))
        if mode is None:
            self.line.reset()
            return
        self.line.fail(mode)
        self.lasts(self.every_seconds, lambda: self.line.fail("sound"))

    def end_redis_clients(self, _dice: random.Random) -> None:
        """Let Redis end every connection."""
        self.ground.broker().client_kill_filter(_type="normal", skipme=True)

    def fill_redis(self, _dice: random.Random) -> None:
        """Let Redis refuse every write for a while, for it is full."""
        self.ground.broker().config_set("maxmemory", 1)
        self.lasts(self.every_seconds, self._room_for_redis)

    def _room_for_redis(self) -> None:
        with suppress(RedisError):  # it was killed, and knows nothing of it any more
            self.ground.broker().config_set("maxmemory", 0)

    def evict(self, _dice: random.Random) -> None:
        """Let Redis have little room for a while, and throw away what it has."""
        with evicting(self.ground.broker()) as pressure:
            for _ in range(WRITES):
                pressure.costs_others()

    def limit_memory(self, dice: random.Random) -> None:
        """Leave one child of a worker little more memory than it has."""
        children = [child for worker in self.workers if worker.running for child in worker.children()]
        if children:
            limit(dice.choice(children), SPARE_BYTES)

    def ask_to_end(self, dice: random.Random) -> None:
        """Send a worker or a scheduler a signal that asks it to end, perhaps twice."""
        asked, times = dice.choice((signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM, signal.SIGINT)), dice.choice((1, 2))

        def ask(process: Process) -> None:
            for _ in range(times):
                process.ask(asked)

        _one(dice, [*self.workers, *self.schedulers], ask)


def _one(dice: random.Random, processes: Sequence[Process], act: Callable[[Process], None]) -> None:
    process = dice.choice(processes)
    if process.running:
        act(process)
