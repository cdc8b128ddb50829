"""Minutes of random faults on the whole installation, beside a naive control that must lose episodes.

SOAK_MINUTES and SOAK_SEED say how long and which; the seed is printed.
"""

import json
import os
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import pytest

from ops.soak import control
from ops.soak.mayhem import Mayhem
from slowwave import wiring
from tests.faults.rig.corpus import Corpus, corpus
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import Process, celery, python, running, until
from tests.faults.rig.proxy import Proxy, before
from tests.faults.rig.pusher import Log
from tests.faults.rig.stage import restarting
from tests.faults.rig.verdict import prove, settle, undisturbed

MINUTES = float(os.environ.get("SOAK_MINUTES", "5"))
SEED = int(os.environ.get("SOAK_SEED", str(time.time_ns() % 100_000)))
EPISODES_A_SECOND = 5
GROWTH_BYTES = 48 * 1024 * 1024
"""What a worker's memory may differ by between the first minutes and the last: caches and fragmentation, no leak."""


@pytest.fixture
def line(ground: Ground) -> Iterator[Proxy]:
    """The line to Redis on which workers, schedulers and pushers are."""
    with before(ground.redis.socket) as line:
        yield line


@pytest.mark.soak
@pytest.mark.timeout(MINUTES * 60 + 900)
def test_minutes_of_random_faults_lose_and_double_nothing_while_the_control_loses(
    ground: Ground, database: str, line: Proxy, tmp_path: Path
) -> None:
    print(f"SOAK_SEED={SEED} SOAK_MINUTES={MINUTES:g}")
    count = int(MINUTES * 60 * EPISODES_A_SECOND)
    told = [{"seed": SEED + n, "episodes": count // 2, "scopes": 3, "user": f"pusher{n}"} for n in range(2)]
    parts = [corpus(**each) for each in told]  # type: ignore[arg-type]
    whole = Corpus(SEED, [*parts[0].said, *parts[1].said])
    settings = ground.settings(database, worker_processes=2, window=20, broker_url=line.url)
    with_packs = wiring.connect(settings)
    wiring.register(with_packs)
    with_packs.close()
    env = environment(settings)

    workers = [Process(celery("worker.app", processes=2), env, tmp_path / f"worker{n}.log") for n in range(2)]
    schedulers = [
        Process(python("celery", "-A", "scheduler.beat", "beat", "-S", "scheduler.beat:PostgresScheduler"), env,
                tmp_path / f"beat{n}.log")
        for n in range(2)
    ]  # fmt: skip
    veteran = Process(python("slowwave.cli", "work", "--overdue", "3"), env, tmp_path / "work.log")
    pushers = [
        Process(python("tests.faults.rig.pusher", str(tmp_path / f"log{n}")),
                {**env, "CORPUS": json.dumps(each), "PACE": "0.4"}, tmp_path / f"pusher{n}.log")
        for n, each in enumerate(told)
    ]  # fmt: skip

    memory: list[int] = []
    mayhem = Mayhem(ground, SEED, database, line, workers, schedulers, pushers)
    with ExitStack() as stack:
        for process in (*workers, *schedulers, veteran):
            stack.enter_context(running(process))
            stack.enter_context(restarting(process))
        for process in pushers:
            stack.enter_context(running(process))
            stack.enter_context(restarting(process, until_done=True))
        naive = stack.enter_context(beside(ground, tmp_path, int(MINUTES * 60 * control.A_SECOND)))
        mayhem.workers = [*workers, naive.worker]

        mayhem.play(MINUTES * 60, look=lambda: memory.append(psutil.Process(veteran.pid).memory_info().rss))
        print(f"faults: {dict(mayhem.done)}")

        until(lambda: not any(pusher.running for pusher in pushers), "every pusher was answered", seconds=180)
        settle(ground, database, whole)
        lost, doubled = naive.losses()

    acknowledged = Log(tmp_path / "log0").acknowledged() | Log(tmp_path / "log1").acknowledged()
    assert len(acknowledged) == len(whole.said)
    prove(ground, database, whole, undisturbed(ground, whole), acknowledged=acknowledged)
    assert lost + doubled > 0, "the control lost nothing: these faults prove nothing"
    _flat(memory)


@dataclass(frozen=True)
class Control:
    """The naive control under the same faults: its worker, its database and its log of what the broker took."""

    worker: Process
    url: str
    log: Path

    def losses(self) -> tuple[int, int]:
        """Wait until it does nothing any more, for twice its visibility time-out; return how many it lost, doubled."""
        last, still = (0, 0, 0), 0
        while still < 30:
            now = control.tally(self.url, self.log)
            last, still = now, still + 1 if now == last else 0
            time.sleep(1)
        taken, lost, doubled = last
        assert lost < taken * 0.9, "the control did not work at all"
        print(f"control: {taken} taken, {lost} lost, {doubled} doubled")
        return lost, doubled


@contextmanager
def beside(ground: Ground, folder: Path, count: int) -> Iterator[Control]:
    """Run the control during the block; its pusher is not killed."""
    with ground.database() as name:
        url = ground.postgres.url("postgres", name)
        with ground.superuser(name) as connection:
            connection.execute(control.TABLE)
        env = environment(ground.settings(name)) | {"CONTROL_URL": url, "CONTROL_BROKER": ground.redis.broker_url}
        worker = Process(celery("ops.soak.control", processes=2), env, folder / "control.log")
        pusher = Process(python("ops.soak.control", str(folder / "control"), str(count)), env, folder / "told.log")
        with running(worker), restarting(worker), running(pusher):
            until(lambda: worked(url), "the control works while nobody harms it", otherwise=worker.said)
            yield Control(worker, url, folder / "control")


def worked(url: str) -> bool:
    """Return whether the control has had some effect."""
    with psycopg.connect(url) as connection:
        return connection.execute("SELECT count(*) > 10 FROM effects").fetchone() == (True,)


def _flat(memory: list[int]) -> None:
    third = len(memory) // 3
    early, late = statistics.median(memory[third : 2 * third]), statistics.median(memory[-third:])
    print(f"memory: {early / 2**20:.0f} MiB, then {late / 2**20:.0f} MiB")
    assert late - early < GROWTH_BYTES, "the worker's memory grows"
