"""One run, from the claim of the work to the commit. The steps are the same for every job.

The category of an error decides how a failed run ends. After `Unavailable`, the window is kept and no attempt is
counted; but if the transaction took too long to fail, the window is halved. After `Conflict`, the run reads and
decides again. After `Incorrect`, the window is halved until the failing episode is alone; then this episode becomes a
dead letter. After `Fault`, an error in our own code, the window is halved too, and the single episode is tried again
after a pause that doubles. The episode becomes a dead letter only if other episodes succeeded while this episode
failed. A run that takes too long counts as a fault, because the machine may be slow or asleep. If the job reads no
episodes, its run fails, and the next firing tries again. After `Fenced`, nothing is written, because another worker has
the scope. If a worker vanishes, the worker that claims the scope next decides what follows.
"""

import contextlib
import logging
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from slowwave.core.backoff import LONGEST_PAUSE_SECONDS, pause_after
from slowwave.core.windows import STRIKES
from slowwave.domain.run import Report, Run, report
from slowwave.errors import Conflict, Fault, Fenced, Incorrect, NotLoaded, SlowwaveError, Unavailable, Unprepared, broke
from slowwave.jobs.heartbeat import Heartbeat, Overtime, SoftLimit, hard_limit
from slowwave.ports import Plan
from slowwave.runtime import clock
from slowwave.store.engine import IDLE_MS
from slowwave.store.runs.runs import PostgresRuns
from slowwave.telemetry import tracing

_LOG = logging.getLogger(__name__)
Settle = Callable[[Run, Plan], Counter[str]]
"""A function that writes a plan and ends the run; returns the number of deltas by kind."""
UNPREPARED_SECONDS = 30.0
"""Seconds that a window waits before the next attempt if an operator first has to prepare the installation."""
OVERLONG_SECONDS = IDLE_MS / 1000
"""If a transaction fails after this time, its window may be too large for the time limits of transactions."""
CONFLICTS = 3
"""The number of conflicts after which a run gives its intent back."""


class _Overlong(Unavailable):
    """The transaction that settles a run failed after a long time. A smaller window may succeed."""


class Job(Protocol):
    """The work of a run between claim and commit. A job holds no lock, transaction or connection."""

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the plan to write. `slowwave.jobs.run` describes how errors are handled by their category."""

    def witness(self, run: Run) -> bool:
        """Return whether the job of *run* works in this process, tested with the pack's own test cases.

        If True, a failure on a single episode counts as a failure of this episode.
        """


class JobWithoutCases:
    """The base of a `Job` that reads no episode, and has no test cases."""

    __slots__ = ()

    def witness(self, _run: Run) -> bool:
        """Return True: no test case can fail."""
        return True


@dataclass(frozen=True, slots=True)
class Reloading:
    """A `Job` that is made again by *again*, once, if the pack of a run is not loaded here.

    So the first run of a new pack does not wait until this process looks for new packs.
    """

    job: Job
    again: Callable[[], Job]

    def think(self, run: Run, store: PostgresRuns) -> Plan:
        """Return the plan of the job."""
        try:
            return self.job.think(run, store)
        except NotLoaded:
            return self.again().think(run, store)

    def witness(self, run: Run) -> bool:
        """Return whether the job of *run* works in this process."""
        try:
            return self.job.witness(run)
        except NotLoaded:
            return self.again().witness(run)


@dataclass(slots=True)
class Series:
    """The runs of one worker in sequence.

    The transaction that ends a run may also claim the *next* run. *jobs* are the jobs for this run.
    """

    next: Run | None = None
    jobs: Mapping[str, Job] = field(default_factory=dict)


@contextlib.contextmanager
def series(store: PostgresRuns) -> Iterator[Series]:
    """Yield a series of runs. A run that was claimed but not started is given back after the block."""
    made = Series()
    try:
        yield made
    finally:
        if made.next is not None:
            ended = Unavailable("its worker ended before it began", retry_after_seconds=0)
            _give_back(store, made.next, "unavailable", ended.retry_after_seconds, ended)


def work(
    store: PostgresRuns,
    jobs: Mapping[str, Job],
    *,
    owner: str,
    beat_seconds: float,
    soft_limit_seconds: float,
    scope: uuid.UUID | None = None,
    only: Sequence[str] | None = None,
    overdue_seconds: float = 0,
    task: str = "",
    others: bool = False,
    hard_limit_seconds: float | None = None,
    series: Series | None = None,
) -> Report | None:
    """Do the next due run and return its report; return None if no run is due. A repeated call is safe.

    With *others*, only tenants that wait for their turn are served; see `PostgresRuns.claim`. If a worker repeats this
    call with the same arguments, it may pass a *series*; the end of a run then claims the next run. Work that came due
    less than *overdue_seconds* ago is skipped. The lease is renewed every *beat_seconds* until *soft_limit_seconds*
    have passed; the run must make its decisions within this time. If the run has not ended after *hard_limit_seconds*,
    the process is killed. *task* is the id of the Celery task, if there is one. Raises `Unavailable` when the database
    is unreachable. Raises MemoryError when this process is out of memory; another process then claims the window.
    """
    asked: dict[str, Any] = {"owner": owner, "scope": scope, "overdue_seconds": overdue_seconds, "task": task}
    asked["jobs"] = only or list(jobs)
    run: Run | None
    if series is not None and series.next is not None:
        run, jobs, series.next = series.next, series.jobs, None
    else:
        run = store.claim(**asked, others=others)
    if run is None:
        return None

    def settle(run: Run, plan: Plan) -> Counter[str]:
        if series is None:
            return store.settle(run, plan)
        deltas, series.next = store.settle_and_claim(run, plan, **asked)
        series.jobs = jobs
        return deltas

    traces = store.traces(run) if tracing.collected() and run.windowed else ()
    with (
        tracing.attributes_of(run=run.run, task=task),
        tracing.span(
            f"slowwave.{run.job}", traces, run=run.run, scope=str(run.scope), pack=run.pack, task=task
        ) as tell,
        hard_limit(hard_limit_seconds) if hard_limit_seconds else contextlib.nullcontext(),
        Heartbeat(lambda: store.renew(run), every_seconds=beat_seconds, until_seconds=soft_limit_seconds),
    ):
        report = _attempt(store, jobs[run.job], run, SoftLimit(soft_limit_seconds), settle)
        tell(outcome=report.outcome, episodes=report.episodes, **report.deltas)
        return report


def _attempt(store: PostgresRuns, job: Job, run: Run, limit: SoftLimit, settle: Settle) -> Report:
    try:
        condemned = run.condemned or _witnessed(store, job, run)
        if condemned:
            store.bury(run, category="vanished", reason=condemned)
            return report(run, "dead")
        return _decide(store, job, run, limit, settle)
    except Unprepared as error:
        return _give_back(store, run, "unavailable", UNPREPARED_SECONDS, error)
    except Incorrect as error:
        return _blame(store, run, error.message)
    except Conflict as error:
        return _give_back(store, run, "conflict", 0.05, error)
    except _Overlong as error:
        return _halve(store, run, error)
    except Unavailable as error:
        return _give_back(store, run, "unavailable", error.retry_after_seconds, error)
    except Fault as error:
        return _doubt(store, job, run, error.message)
    except Overtime as error:
        return _doubt(store, job, run, str(error))
    except MemoryError:
        with contextlib.suppress(MemoryError):
            _doubt(store, job, run, "its process had no memory left")
        raise
    except Exception as error:  # noqa: BLE001  # the edge of a run: no episode may stop a scope, whatever it breaks
        _LOG.error("run %s failed with %s", run.run, broke(error))
        return _doubt(store, job, run, broke(error))


def _decide(store: PostgresRuns, job: Job, run: Run, limit: SoftLimit, settle: Settle) -> Report:
    for attempt in range(1, CONFLICTS + 1):
        with limit.block(), tracing.span("slowwave.think"):
            plan = job.think(run, store)
        began = clock.monotonic()
        try:
            with tracing.span("slowwave.apply", run=run.run) as tell:
                deltas = settle(run, plan)
                tell(**deltas)
            if plan.says:
                _LOG.info("%s", plan.says)
            done = run if plan.upto is None else replace(run, hi=plan.upto)
            return report(done, "ok", plan.episodes, deltas, plan.counts)
        except Unavailable as error:
            if clock.monotonic() - began < OVERLONG_SECONDS:
                raise
            raise _Overlong(error.message, retry_after_seconds=error.retry_after_seconds) from error
        except Conflict as error:
            if isinstance(error, Fenced) or attempt == CONFLICTS:
                raise
    raise AssertionError("unreachable")


def _blame(store: PostgresRuns, run: Run, reason: str) -> Report:
    """Halve the window until the failing episode is alone, and make that episode a dead letter.

    If the job reads no episodes, the run fails, and the next firing tries again.
    """
    try:
        if outcome := _without_blame(store, run, reason):
            return outcome
        store.bury(run, category="incorrect", reason=reason)
        return report(run, "dead")
    except SlowwaveError:  # if this write fails too, the lease expires
        return report(run, "fenced")


def _halve(store: PostgresRuns, run: Run, error: Unavailable) -> Report:
    """Halve a window whose transaction took too long. Give back any other work, which blames no episode."""
    if not run.windowed or len(run.positions) == 1:
        return _give_back(store, run, "unavailable", error.retry_after_seconds, error)
    return _blame(store, run, error.message)


def _doubt(store: PostgresRuns, job: Job, run: Run, reason: str) -> Report:
    """Retry a window on which our own code failed.

    If the window has a single episode and there is evidence against the episode, the episode becomes a dead letter.
    """
    try:
        if outcome := _without_blame(store, run, reason, wait_seconds=pause_after(0)):
            return outcome
        counts = run.evidence == "witnessed" or (run.evidence == "alone" and job.witness(run))
        if counts and store.strike(run) >= STRIKES:
            store.bury(run, category="fault", reason=reason)
            return report(run, "dead")
        store.put_off(run, reason, wait_seconds=pause_after(run.faults))
        return report(run, "faulted")
    except SlowwaveError:
        return report(run, "fenced")


def _without_blame(store: PostgresRuns, run: Run, reason: str, **wait: float) -> Report | None:
    """Fail a run without a window, or halve a window of several episodes; return None for a single episode."""
    if not run.windowed:
        _LOG.error("run %s of %s failed: %s", run.run, run.job, reason)
        store.fail(run, reason)
        return report(run, "failed")
    if len(run.positions) > 1:
        store.narrow(run, reason, **wait)
        return report(run, "narrowed")
    return None


def _witnessed(store: PostgresRuns, job: Job, run: Run) -> str | None:
    """Return why an episode must become a dead letter, or None.

    The crash of a worker counts against the episode only if the pack passes its test cases in this process.
    """
    if not run.unwitnessed or not job.witness(run):
        return None
    strikes = store.strike(run)
    return f"{strikes} workers vanished while they worked on it alone" if strikes >= STRIKES else None


def _give_back(store: PostgresRuns, run: Run, outcome: str, wait_seconds: float, error: SlowwaveError) -> Report:
    if isinstance(error, Fenced):
        return report(run, "fenced")
    wait_seconds = min(wait_seconds, LONGEST_PAUSE_SECONDS)
    with contextlib.suppress(Conflict, Unavailable, Unprepared):  # if this write fails too, the lease expires
        store.give_back(run, outcome, wait_seconds=wait_seconds, error=error.message)
    return report(run, outcome)
