"""A database, a worker that can be broken, a pusher and a reconciler: the setting of most fault tests."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from slowwave import wiring
from slowwave.broker import queue
from slowwave.errors import SlowwaveError, Unprepared
from slowwave.memory import due_work
from slowwave.settings import Settings
from tests.faults.rig.corpus import Corpus
from tests.faults.rig.ground import Ground, environment
from tests.faults.rig.processes import Process, celery, running, until
from tests.faults.rig.pusher import Log, telling
from tests.faults.rig.saboteur import Sabotage
from tests.faults.rig.verdict import AT_ONCE, Outcome, prove, settle

T = TypeVar("T")


@dataclass
class Stage:
    """The objects of a fault test: the parts of an agent's process, the worker, and methods that break it.

    What the agent pushes is *corpus*, and *expected* is the outcome of an undisturbed run.
    """

    ground: Ground
    database: str
    settings: Settings
    parts: wiring.Parts
    worker: Process
    sabotage: Sabotage
    log: Log
    corpus: Corpus
    expected: Outcome

    def until(self, found: Callable[[], T | None], what: str, **patience: float) -> T:
        """Return the first result of *found*; fail with *what* and the end of the worker's log."""
        return until(found, what, otherwise=self.worker.said, **patience)

    def ready(self) -> None:
        """Wait until the worker is ready."""
        self.until(lambda: "ready" in self.worker.said(), "the worker is ready")

    def broken(self, point: str) -> int:
        """Wait until a process has broken itself at *point*; return its number."""
        return self.until(lambda: self.sabotage.victim(point), f"a worker broke itself {point}")

    def count(self, what: str) -> int:
        """Return how many rows there are of *what*: a table, or a table and a condition."""
        ((count,),) = self.rows(f"SELECT count(*) FROM {what}")
        return int(count)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.ground.rows(self.database, query)

    def pushed(self) -> int:
        """Return the number of acknowledged episodes."""
        return len(self.log.acknowledged())

    def done(self) -> int:
        """Return the number of successful runs."""
        return self.count("runs WHERE outcome = 'ok'")

    def under_way(self) -> None:
        """Wait until some work is done and some is pending, because a fault without a backlog proves nothing."""
        self.until(lambda: self.count("deltas") and self.count(AT_ONCE), "work is under way")

    def goes_on(self, when: str = "", *, episodes: int = 4) -> None:
        """Wait until more than so many *episodes* are acknowledged and another run succeeds."""
        pushed, done = self.pushed(), self.done()
        until(lambda: self.pushed() > pushed + episodes, f"pushes go on{when}", seconds=20)
        self.until(lambda: self.done() > done, f"work goes on{when}")

    def pushing(self, pace_seconds: float = 0.02, **more: Any) -> AbstractContextManager[threading.Thread]:
        """Push everything in a thread during the block."""
        return telling(self.parts, self.corpus, self.log, pace_seconds=pace_seconds, **more)

    def prove(self, *, buried: tuple[str, ...] = ()) -> None:
        """Wait until all work is done, then assert every invariant."""
        where = self.ground, self.database, self.corpus
        settle(*where)
        prove(*where, self.expected, acknowledged=self.log.acknowledged(), buried=buried)

    def prove_with_worker(self) -> None:
        """Assert every invariant, and that the worker runs."""
        self.prove()
        assert self.worker.running, self.worker.said()


@contextmanager
def set_up(
    ground: Ground,
    database: str,
    folder: Path,
    *,
    corpus: Corpus,
    expected: Outcome,
    pace: float = 0.05,
    **more: object,
) -> Iterator[Stage]:
    """Give a stage whose worker is not started."""
    settings = ground.settings(database, **more)
    sabotage = Sabotage(folder / "sabotage")
    sabotage.folder.mkdir()
    env = {
        **environment(settings),
        "SABOTAGE": str(sabotage.folder),
        "SABOTAGE_PACE": str(pace),
        "TOKENIZERS_PARALLELISM": "false",
    }
    worker = Process(
        celery("tests.faults.rig.saboteur", processes=settings.worker_processes), env, folder / "worker.log"
    )
    parts = wiring.connect(settings)
    with suppress(Unprepared):  # a database without a schema: the migration registers the packs
        wiring.register(parts)
    try:
        log = Log(folder / "acknowledged")
        yield Stage(ground, database, settings, parts, worker, sabotage, log, corpus, expected)
    finally:
        parts.close()


SetUp = Callable[..., AbstractContextManager[Stage]]
"""Sets up a stage on a test's database with a worker that is not started."""


@contextmanager
def playing(
    stage: Stage, *, times: int = 1, pace: float = 0.02, refusals: Counter[type[Exception]] | None = None
) -> Iterator[Stage]:
    """Run the worker, push a batch every *pace* seconds, and announce runnable work; count *refusals*."""
    with running(stage.worker), ringing(stage, times=times):
        stage.ready()
        with stage.pushing(pace, refusals=refusals):
            yield stage


@contextmanager
def ringing(stage: Stage, *, every_seconds: float = 0.2, times: int = 1) -> Iterator[None]:
    """Tick, and announce whatever is runnable, again and again, as the scheduler does; each bell rings *times*."""

    def announce(parts: wiring.Parts) -> None:
        queue.configure(parts.broker_url)
        for due in due_work.tick(parts, by="ringing").due:
            for _ in range(times):
                queue.notify_workers(due.scope, due.job)

    with repeating(stage, announce, every_seconds):
        yield


@contextmanager
def polling(stage: Stage, *, overdue_seconds: float = 3) -> Iterator[None]:
    """Do work that has long been due, as the poll fallback beside Celery does."""

    def poll(parts: wiring.Parts) -> None:
        with due_work.series(parts) as series:
            while due_work.run_next(parts, owner="polling", overdue_seconds=overdue_seconds, series=series):
                pass

    with repeating(stage, poll, 0.2):
        yield


@contextmanager
def repeating(stage: Stage, act: Callable[[wiring.Parts], None], every_seconds: float) -> Iterator[None]:
    """Repeat *act* in a thread with parts of its own; retry when a server is away."""
    over, parts = threading.Event(), wiring.connect(stage.settings)

    def repeat() -> None:
        while not over.wait(every_seconds):
            with suppress(SlowwaveError):
                act(parts)

    thread = threading.Thread(target=repeat, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(30)
        parts.close()


@contextmanager
def restarting(process: Process, *, until_done: bool = False) -> Iterator[None]:
    """Start *process* again whenever it has ended, as a supervisor does; with *until_done* only when it failed."""
    over = threading.Event()

    def look() -> None:
        while not over.wait(0.2):
            if not process.running and not (until_done and process.succeeded):
                process.start()

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(30)
