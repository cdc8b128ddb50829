"""Minutes of random faults on the whole installation, beside a naive control that must lose episodes.

SOAK_MINUTES says how long, SOAK_SEED which faults, SOAK_RATE how many episodes a second are pushed, SOAK_PAUSE how many
seconds lie between the beginnings of two faults. `SOAK_MINUTES=85 SOAK_RATE=200` pushes a million. The seed is printed,
and at the end the account: what was acknowledged, lost and doubled, the faults by kind, the restarts and the digest.
"""

import json
import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path

import psutil
import psycopg
import pytest

from ops.soak import control
from ops.soak.mayhem import Mayhem
from ops.soak.versions import earlier, of_version
from slowwave import wiring
from slowwave.runtime import clock
from tests.faults.rig.corpus import Corpus, Story
from tests.faults.rig.disk import Disk, disk
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import Process, celery, celery_beat, python, running, until
from tests.faults.rig.proxy import Proxy, before
from tests.faults.rig.pusher import Log, Pace
from tests.faults.rig.skewed import skewed
from tests.faults.rig.stage import restarting
from tests.faults.rig.verdict import account, prove, settle, undisturbed

MINUTES = float(os.environ.get("SOAK_MINUTES", "5"))
SEED = int(os.environ.get("SOAK_SEED", str(time.time_ns() % 100_000)))
RATE = float(os.environ.get("SOAK_RATE", "5"))
PAUSE = float(os.environ.get("SOAK_PAUSE", "3"))
SPEAKING_A_SECOND = 5
"""Episodes per second in which rules match; the others match nothing, like most turns of a conversation."""
SPEAKING_IN_A_CHAPTER = 750
PUSHERS = 2
WINDOW = min(2000, max(20, round(RATE * 2.5)))
AHEAD = timedelta(hours=2)
"""How far the clock of the second worker is ahead, and that of the second scheduler behind."""
CALM_WINDOW = max(200, min(2000, 4 * WINDOW))
DISK_MEGABYTES = 8192
GROWTH_BYTES = 48 * 1024 * 1024
"""The allowed growth of a worker's memory from the first minutes to the last: caches and fragmentation."""


@pytest.fixture
def small(ground: Ground) -> Iterator[Disk | None]:
    """A small disk for the database's tables, if this account may mount one."""
    if os.geteuid() != 0:
        yield None
        return
    with disk(ground.home / "tables", megabytes=DISK_MEGABYTES) as small:
        yield small


@pytest.fixture
def pressed(ground: Ground, small: Disk | None) -> Iterator[str]:
    """The database of the soak, on the small disk if there is one."""
    with ExitStack() as stack:
        space = stack.enter_context(ground.tablespace(small.folder)) if small else "pg_default"
        yield stack.enter_context(ground.database(tablespace=space))


@pytest.mark.soak
@pytest.mark.timeout(MINUTES * 60 * 2 + 1800)
def test_minutes_of_random_faults_lose_and_double_nothing_while_the_control_loses(
    ground: Ground, small: Disk | None, pressed: str, tmp_path: Path
) -> None:
    print(f"SOAK_SEED={SEED} SOAK_MINUTES={MINUTES:g} SOAK_RATE={RATE:g} SOAK_PAUSE={PAUSE:g}")
    stories = [story(number) for number in range(PUSHERS)]
    with ExitStack() as stack:
        lines = [stack.enter_context(before(at)) for at in (ground.redis.socket, ground.postgres_socket)]
        cast = _cast(ground, pressed, lines, stories, tmp_path)
        mayhem = Mayhem(
            ground=ground, seed=SEED, database=pressed, every_seconds=PAUSE, second_line=lines[1], disk=small,
            folder=tmp_path, line=lines[0], workers=cast.workers, schedulers=cast.schedulers, pushers=cast.pushers,
        )  # fmt: skip
        mayhem.prepare()
        for process in cast.kept:
            stack.enter_context(running(process))
            stack.enter_context(restarting(process))
        for process in cast.pushers:
            stack.enter_context(running(process))
            stack.enter_context(restarting(process, until_done=True))
        naive = stack.enter_context(beside(ground, tmp_path, int(MINUTES * 60 * control.A_SECOND)))
        mayhem.workers = [*cast.workers, naive.worker]

        memory: list[int] = []

        def look() -> None:
            with suppress(psutil.NoSuchProcess):
                memory.append(psutil.Process(cast.veteran.pid).memory_info().rss)

        mayhem.play(MINUTES * 60, look)
        print(f"{sum(mayhem.done.values())} faults: {dict(sorted(mayhem.done.items()))}; {dict(mayhem.met)}")
        print("no disk could be filled: only root may mount one" if small is None else "a disk was filled")

        patience = 180 + MINUTES * 30
        until(lambda: not any(pusher.running for pusher in cast.pushers), "every pusher is answered", seconds=patience)
        whole = Corpus(SEED, [each for story in stories for each in story.whole().said])
        settle(ground, pressed, whole, seconds=patience)
        tasks = {worker.log.stem: worker.log.read_text().count(" succeeded in ") for worker in cast.workers}
        print(f"tasks done: {tasks}")
        assert all(tasks.values()), "a worker did nothing"
        print(f"refused pushes: {refused([process.log for process in cast.pushers])}")
        print(f"restarts: { {process.log.stem: process.starts - 1 for process in (*cast.kept, *cast.pushers)} }")
        lost, doubled = naive.losses()

    acknowledged: dict[str, int] = {}
    for number in range(PUSHERS):
        acknowledged |= Log(tmp_path / f"log{number}").acknowledged()
    began = clock.monotonic()
    expected = undisturbed(ground, whole, window=CALM_WINDOW, prepare_window=CALM_WINDOW)
    print(f"the calm twin took {clock.monotonic() - began:.0f} s")
    print(account(ground, pressed, whole, expected, acknowledged))
    assert len(acknowledged) == len(whole.said)
    prove(ground, pressed, whole, expected, acknowledged=acknowledged)
    assert lost + doubled > 0, "the control lost nothing: these faults prove nothing"
    _flat(memory)


def story(number: int) -> Story:
    """Return the story of a pusher."""
    speaking = min(1.0, SPEAKING_A_SECOND / RATE)
    return Story(
        seed=SEED + number, user=f"pusher{number}", episodes=int(MINUTES * 60 * RATE) // PUSHERS,
        chapter=round(SPEAKING_IN_A_CHAPTER / speaking), quiet=1 - speaking,
    )  # fmt: skip


def refused(logs: list[Path]) -> dict[str, int]:
    """Return how many pushes were refused, by the reason."""
    reason = re.compile(r"^refused: [^(:\n]*(?:\((\w+)|: ([\w ]+))", re.M)
    reasons = Counter(name or words for log in logs for name, words in reason.findall(log.read_text()))
    return dict(reasons)


@dataclass(frozen=True)
class Cast:
    """The processes of the soak; one of each kind is on lines that break, and one worker is of an earlier version."""

    workers: list[Process]
    schedulers: list[Process]
    veteran: Process
    pushers: list[Process]

    @property
    def kept(self) -> list[Process]:
        """The processes that never end."""
        return [*self.workers, *self.schedulers, self.veteran]


def _cast(ground: Ground, database: str, lines: list[Proxy], stories: list[Story], folder: Path) -> Cast:
    sizes = {"worker_processes": 2, "window": WINDOW, "prepare_window": WINDOW}
    settings = ground.settings(database, broker_url=lines[0].url, **sizes)
    with_packs = wiring.connect(settings)
    wiring.register(with_packs)
    _pause_nights(with_packs)
    with_packs.close()
    straight = environment(settings)
    bent = {**straight, "SLOWWAVE_URL": lines[1].postgres_url(database)}
    envs = (bent, straight)

    worker, beat = celery("worker.app", processes=2), celery_beat()
    workers = [
        Process(command, env, folder / f"worker{number}.log")
        for number, (command, env) in enumerate(zip((worker, skewed(worker, AHEAD)), envs, strict=True))
    ]
    old = earlier(folder / "earlier")
    if old is not None:
        workers.append(Process(worker, of_version(straight, old), folder / "earlier.log", folder=old))
    print("no worker of an earlier version: git has none with this schema" if old is None else f"two versions: {old}")
    schedulers = [
        Process(command, env, folder / f"beat{number}.log")
        for number, (command, env) in enumerate(zip((beat, skewed(beat, -AHEAD)), envs, strict=True))
    ]
    veteran = Process(python("slowwave.cli", "work", "--overdue", "3"), straight, folder / "work.log")

    a_second = RATE / PUSHERS
    pace = json.dumps(asdict(Pace(clock.monotonic(), a_second, batch=max(4, min(500, round(a_second / 2))))))
    pushers = [
        Process(python("tests.faults.rig.pusher", str(folder / f"log{number}")),
                {**env, "STORY": json.dumps(asdict(told)), "PACE": pace}, folder / f"pusher{number}.log")
        for number, (told, env) in enumerate(zip(stories, envs, strict=True))
    ]  # fmt: skip
    return Cast(workers, schedulers, veteran, pushers)


def _pause_nights(parts: wiring.Parts) -> None:
    """Pause the nightly jobs, because their summaries and patterns depend on the time at which they run."""
    for schedule in parts.schedule.schedules():
        if schedule.kind == "cron" and schedule.job not in ("prepare", "consolidate"):
            parts.schedule.pause(schedule.name)


@dataclass(frozen=True)
class Control:
    """The naive control under the same faults: its worker, its database and its log of what the broker took."""

    worker: Process
    url: str
    log: Path

    def losses(self) -> tuple[int, int]:
        """Wait until the control is idle for twice its visibility time-out; return its losses and duplicates."""
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
