"""Functions that request due work, claim it, and do it in this process."""

import logging
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from slowwave.domain.job_table import ASK, SWEEP, pack_of
from slowwave.domain.overview import Due
from slowwave.domain.run import Report
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, Unavailable
from slowwave.jobs import run
from slowwave.jobs import tick as ticking
from slowwave.jobs.tick import Tick
from slowwave.runtime import clock
from slowwave.store.model_calls.request_outcomes import due, waiting
from slowwave.store.schedule.slice_sweep import fire_sweep
from slowwave.store.tiers.decay import PostgresDecay
from slowwave.store.work_queue import intents
from slowwave.wiring import Parts, owner_name

POLL_SECONDS = 0.05
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)
"""The due time in notifications of model calls, which have no due time.

A fixed time ensures that each is sent only once.
"""
_LOG = logging.getLogger(__name__)


def run_next(
    parts: Parts, *, owner: str, scope: uuid.UUID | None = None, only: Sequence[str] | None = None,
    overdue_seconds: float = 0, task: str = "", others: bool = False, own_process: bool = False,
    series: run.Series | None = None,
) -> Report | None:  # fmt: skip
    """Do the next due run with the current rules, and return its report; None if no run is due.

    See `slowwave.jobs.run`.

    With *own_process*, the process ends if the run exceeds the hard time limit or memory runs out. After such a
    failure, later runs in this process would fail, too. Retries in new processes find the episode that needs too much
    memory.
    """
    try:
        return run.work(
            parts.runs,
            {name: run.Reloading(job, partial(_reloaded, parts, name)) for name, job in parts.current_jobs().items()},
            owner=owner,
            beat_seconds=parts.settings.beat_seconds,
            soft_limit_seconds=parts.settings.soft_limit_seconds,
            scope=scope,
            only=only,
            overdue_seconds=overdue_seconds,
            task=task,
            others=others,
            hard_limit_seconds=parts.settings.hard_limit_seconds if own_process else None,
            series=series,
        )
    except MemoryError:
        if own_process:
            raise SystemExit("This worker has no memory left; a fresh one takes over.") from None
        raise


def _reloaded(parts: Parts, job: str) -> run.Job:
    try:
        parts.glance(at_once=True)
        return parts.jobs[job]
    except (Incorrect, OSError) as error:  # the files of packs are at fault, and no episode
        raise Unavailable(f"the rule packs cannot be loaded: {error}", retry_after_seconds=30) from error


def series(parts: Parts) -> AbstractContextManager[run.Series]:
    """Yield a series for a loop over `run_next`.

    With the series, the transaction that ends a run also claims the next run.
    """
    return run.series(parts.runs)


def send_next_request(parts: Parts, *, owner: str) -> str | None:
    """Make one pending model call with the current packs; return the outcome.

    Returns None if no call is possible now, or if no provider is set. Without a provider, `slowwave model replies`
    stores replies.
    """
    parts.glance()
    return parts.asker.ask(owner) if parts.asker is not None else None


def count_pending_requests(parts: Parts, scope: uuid.UUID | None = None) -> int:
    """Return the number of pending model calls of one scope or of all scopes."""
    with parts.database.dispatch() as connection:
        return waiting(connection, scope)


def model_calls_due(parts: Parts) -> bool:
    """Return whether a model call is possible now, or running."""
    if parts.provider is None:
        return False
    with parts.database.dispatch() as connection:
        return due(connection, parts.provider.name, list(parts.asking))


def send_all_requests(parts: Parts, *, owner: str, stop: threading.Event) -> None:
    """Make pending model calls one by one, until none is possible now or *stop* is set."""
    _in_each_cell(parts, partial(send_next_request, owner=owner), stop)


def deliver_next(parts: Parts) -> str | None:
    """Deliver pending deltas to one webhook for a limited time; return the outcome, or None without pending deltas."""
    return parts.deliverer.deliver()


def deliver_all(parts: Parts, *, stop: threading.Event) -> None:
    """Deliver to one webhook after another until no delta is pending or *stop* is set."""
    _in_each_cell(parts, deliver_next, stop)


def _in_each_cell(parts: Parts, step: Callable[[Parts], str | None], stop: threading.Event) -> None:
    """Repeat *step* in each cell until it has nothing to do there. An unreachable cell does not stop the others."""
    trouble: Unavailable | None = None
    for cell in parts.each_cell().values():
        try:
            while not stop.is_set() and step(cell) is not None:
                pass
        except Unavailable as error:
            trouble = error
    if trouble is not None:
        raise trouble


def is_due(parts: Parts, scope: uuid.UUID | None = None) -> bool:
    """Return whether work is due or running in one scope, or in any scope."""
    with parts.database.dispatch() as connection:
        return intents.any_due(connection, scope)


def runnable_jobs(parts: Parts, scope: uuid.UUID) -> list[str]:
    """Return the jobs that are due in a scope; empty while a worker holds the scope."""
    with parts.database.dispatch() as connection:
        return intents.runnable_jobs(connection, scope)


def fire(parts: Parts, scope: uuid.UUID | None = None) -> None:
    """Fire the schedules by hand for one scope, or for every scope with work."""
    parts.schedule.fire_manually(by=owner_name("manual"), scopes=None if scope is None else [scope])


def tick(parts: Parts, *, by: str) -> Tick:
    """Fire the schedules that are due; see `slowwave.jobs.tick`."""
    done = ticking.tick(parts.schedule, by=by, tick_seconds=parts.settings.tick_seconds)
    parts.batches.take_back()
    done = replace(done, due=(*done.due, *parts.webhooks.due()))
    if not model_calls_due(parts):
        return done
    calls = (Due(uuid.UUID(int=slot), ASK, LONG_AGO) for slot in range(parts.settings.model_slots))
    return replace(done, due=(*done.due, *calls))


def drain(parts: Parts, scope: uuid.UUID | None, timeout: float) -> list[Report]:
    """Do all due work of one scope or of all scopes, until no work is left; return a report per run.

    Waits for work that other workers hold. Calls models if a provider is set. If no call is possible now, the number of
    pending calls is logged. Raises `Unavailable` after *timeout* seconds.
    """
    with series(parts) as runs:
        return _drain(parts, scope, timeout, runs)


def _drain(parts: Parts, scope: uuid.UUID | None, timeout: float, runs: run.Series) -> list[Report]:
    end, owner = clock.monotonic() + timeout, owner_name("inline")
    reports: list[Report] = []
    while True:
        report = run_next(parts, owner=owner, scope=scope, series=runs)
        if report is not None:
            reports.append(report)
        elif send_next_request(parts, owner=owner) is not None:
            continue
        elif not model_calls_due(parts) and not is_due(
            parts, scope
        ):  # a reply that arrived between the two checks is work
            if count := count_pending_requests(parts, scope):
                _LOG.warning("%d request%s to a model pending: see `slowwave status`", count, "" if count == 1 else "s")
            return reports
        elif clock.monotonic() >= end:
            raise Unavailable(f"work is still due after {timeout:g} s", hint="`slowwave status` shows who holds it")
        else:
            time.sleep(POLL_SECONDS)


def store_spooled(parts: Parts, tenant: str | None = None) -> None:
    """Store the episodes of the outbox, if there is an outbox.

    Raises `Crowded` if *tenant* exceeds a quota or, without *tenant*, if any tenant exceeds a quota.
    """
    if parts.spooler is not None:
        parts.spooler.drain(tenant)


def end_session(parts: Parts, scope: Scope, session: str) -> list[Due]:
    """Fire the schedules that wait for the end of a session, and notify workers; return the due work."""
    due = parts.schedule.end_session(scope, session, by=owner_name("agent"))
    notify_workers(parts, due)
    return due


def notify_workers(parts: Parts, due: Iterable[Due]) -> None:
    """Notify workers of *due* work, if there is a broker; without one, workers poll."""
    if parts.bell is not None:
        for one in due:
            parts.bell.ring(one.scope, one.job)


def run_for_every_tenant(parts: Parts, job: str, *, by: str) -> Counter[str]:
    """Make *job* due for every tenant of every cell, do the due work in this process, and return the sum of the counts.

    Raises `Unavailable` if a cell cannot be reached, after the work of the others.
    """
    counts: Counter[str] = Counter()

    def step(cell: Parts) -> None:
        cell.schedule.fire_job(job, pack_of(job), by=by)
        while (report := run_next(cell, owner=by, only=[job])) is not None:
            counts.update(report.counts)

    _in_each_cell(parts, step, threading.Event())
    return counts


def sweep(parts: Parts, scope: Scope) -> Counter[str]:
    """Sweep the scopes that share a slice (a sixteenth of the tenant) with *scope*, in this process.

    Returns the counts, which are empty if no sweep is due for the slice.
    """
    with parts.database.tenant(scope.tenant) as connection:
        place = fire_sweep(connection, scope.id, key=str(uuid.uuid4()), by=owner_name("agent"))()
    counts: Counter[str] = Counter()
    while place and (report := run_next(parts, owner=owner_name("agent"), scope=place, only=[SWEEP])) is not None:
        counts.update(report.counts)
    return counts


def refresh_strengths(parts: Parts, tenant: str | None) -> Counter[str]:
    """Recompute the strengths and due times of *tenant*, or of all tenants; write the changes and return their counts.

    After this call, a changed policy also applies to memories that are not due.
    """
    counts: Counter[str] = Counter()

    def step(cell: Parts) -> None:
        for each in cell.database.tenants() if tenant is None else [tenant]:
            looked, refreshed = PostgresDecay(cell.database).refresh_all(each)
            counts.update(looked=looked, refreshed=refreshed)

    if tenant is None:
        _in_each_cell(parts, step, threading.Event())
    else:
        step(parts.of(tenant))
    return counts
