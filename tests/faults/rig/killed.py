"""A worker of one job that kills itself at the n-th end of a transaction, in a process of its own.

It counts from the moment the job begins to think: odd numbers die just before a commit, even ones just after it. What
takes long to load is loaded once, in the process that such workers are forked from.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Connection

from slowwave import wiring
from slowwave.domain.run import Run
from slowwave.jobs.run import Job
from slowwave.memory import due_work
from slowwave.ports import Plan
from slowwave.store.database import Database
from slowwave.store.runs.runs import PostgresRuns
from slowwave.wiring import Settings
from tests.faults.rig.forked import forked

WAIT_SECONDS = 100.0


class Mortal(Database):
    """A `Database` that kills its process at a chosen transaction end."""

    left: int | None = None

    @contextmanager
    def tenant(self, tenant: str, **options: Any) -> Iterator[Connection]:
        with self._counted(super().tenant(tenant, **options)) as connection:
            yield connection

    @contextmanager
    def long(self, tenant: str, **options: Any) -> Iterator[Connection]:
        with self._counted(super().long(tenant, **options)) as connection:
            yield connection

    @contextmanager
    def dispatch(self) -> Iterator[Connection]:
        with self._counted(super().dispatch()) as connection:
            yield connection

    @contextmanager
    def _counted(self, transaction: AbstractContextManager[Connection]) -> Iterator[Connection]:
        with transaction as connection:
            yield connection
            self._age()
        self._age()

    def _age(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)


@dataclass
class Doomed:
    """A `Job` whose worker starts counting when it thinks."""

    job: Job
    database: Mortal
    commits: int

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        if self.database.left is None:
            self.database.left = self.commits
        return self.job.think(run, store)

    def witness(self, run: Run) -> bool:
        return self.job.witness(run)


def killed(url: str, job: str, commits: int) -> bool:
    """Let a worker of *job* die at transaction end number *commits*; return whether it died.

    Raises AssertionError when it ended in any other way but well.
    """
    return _died(_work, url, job, commits)


def dies(work: Callable[..., object], url: str, ends: int, *arguments: object, before: Any = None) -> bool:
    """Call *work* with the parts of a process that dies at transaction end number *ends*.

    Returns whether it died. What *before* does with the parts is not counted.
    """
    return _died(_call, work, url, ends, arguments, before)


def _died(target: Callable[..., None], *arguments: object) -> bool:
    worker = forked(target, *arguments)
    worker.join(WAIT_SECONDS)
    assert worker.exitcode in (0, -signal.SIGTERM, -signal.SIGKILL), f"{arguments} ended with {worker.exitcode}"
    return worker.exitcode == -signal.SIGKILL


def _mortal(url: str) -> tuple[wiring.Parts, Mortal]:
    parts = wiring.connect(Settings.load(url=url, lease_seconds=60, statements=False))
    vars(parts).update(heavy())
    parts.database.__class__ = Mortal  # the same database, but it kills the process
    assert isinstance(parts.database, Mortal)
    return parts, parts.database


def _call(work: Callable[..., object], url: str, ends: int, arguments: tuple[object, ...], before: Any) -> None:
    parts, database = _mortal(url)
    if before is not None:
        before(parts)
    database.left = ends
    work(parts, *arguments)
    database.left = None
    os.kill(os.getpid(), signal.SIGTERM)


def _work(url: str, job: str, commits: int) -> None:
    parts, database = _mortal(url)
    parts.jobs[job] = Doomed(parts.jobs[job], database, commits)
    with due_work.series(parts) as series:  # so that it also dies at transaction ends that claim the next run
        while due_work.run_next(parts, owner="mortal", only=[job], series=series):
            pass


@cache
def heavy() -> dict[str, object]:
    """Return the parts that load slowly; `tests.faults.loaded` loads them once for all forks."""
    parts = wiring.connect(Settings.load(url="postgresql://nobody@/nowhere", statements=False))
    parts.embedder.load()
    return {"packs": parts.packs, "embedder": parts.embedder}
