"""A database, a worker that can be broken, a pusher and a reconciler: what most faults are played on."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from slowwave import queue, wiring
from slowwave.errors import SlowwaveError
from slowwave.settings import Settings
from tests.faults.corpus import Corpus
from tests.faults.ground import Ground, environment
from tests.faults.processes import Process, celery, running
from tests.faults.pusher import Log
from tests.faults.saboteur import Sabotage
from tests.faults.verdict import Outcome, prove, settle
from tests.faults.waiting import until


@dataclass
class Stage:
    """What a test holds: the parts of an agent's process, the worker, and how to break it."""

    ground: Ground
    database: str
    settings: Settings
    parts: wiring.Parts
    worker: Process
    sabotage: Sabotage
    log: Log

    def broken(self, point: str) -> int:
        """Wait until a process has broken itself at *point*; return its number."""
        return until(lambda: self.sabotage.victim(point), f"a worker broke itself {point}", otherwise=self.worker.said)

    def count(self, what: str) -> int:
        """Return how many rows there are of *what*: a table, or a table and a condition."""
        with self.ground.superuser(self.database) as connection:
            row = connection.execute(f"SELECT count(*) FROM {what}").fetchone()
            assert row is not None
            return int(row[0])

    def under_way(self) -> None:
        """Wait until some work is done and some is not: a fault without a backlog proves nothing."""
        until(lambda: self.count("deltas") and self.count("intents"), "work is under way", otherwise=self.worker.said)

    def prove(self, told: Corpus, expected: Outcome, *, buried: tuple[str, ...] = ()) -> None:
        """Wait until all is done, then assert every promise."""
        settle(self.ground, self.database, told)
        prove(self.ground, self.database, told, expected, acknowledged=self.log.acknowledged(), buried=buried)


@contextmanager
def set_up(
    ground: Ground,
    database: str,
    folder: Path,
    *,
    app: str = "tests.faults.saboteur",
    pace: float = 0.05,
    **more: object,
) -> Iterator[Stage]:
    """Give a stage whose worker is not started yet."""
    settings = ground.settings(database, **more)
    sabotage = Sabotage(folder / "sabotage")
    sabotage.folder.mkdir()
    env = {**environment(settings), "SABOTAGE": str(sabotage.folder), "SABOTAGE_PACE": str(pace)}
    worker = Process(celery(app, processes=settings.worker_processes), env, folder / "worker.log")
    parts = wiring.connect(settings)
    parts.register()
    try:
        yield Stage(ground, database, settings, parts, worker, sabotage, Log(folder / "acknowledged"))
    finally:
        parts.close()


@contextmanager
def playing(stage: Stage, told: Corpus) -> Iterator[Stage]:
    """Run the worker, and ring for what is runnable, while the block does."""
    with running(stage.worker), ringing(stage, told):
        yield stage


@contextmanager
def ringing(stage: Stage, told: Corpus, *, every_seconds: float = 0.2) -> Iterator[None]:
    """Announce whatever is runnable, again and again, as the scheduler does."""
    over = threading.Event()

    def announce() -> None:
        parts = wiring.connect(stage.settings)
        queue.configure(parts.broker_url)
        while not over.wait(every_seconds):
            for scope in told.scopes:
                try:
                    for job in parts.runnable_jobs(scope.id):
                        queue.ring(scope.id, job)
                except SlowwaveError:
                    continue  # whatever is away, it is announced again
        parts.database.close()

    thread = threading.Thread(target=announce, name=f"ringing-{os.getpid()}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(30)
