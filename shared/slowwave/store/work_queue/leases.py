"""Leases of scopes: only the holder of a scope's lease may write the scope's beliefs.

A run calls `fence` before it commits, and `fence` refuses a run that has lost its lease. A run that writes to other
scopes calls `open_scope`. A change by hand calls `take_by_hand`.
"""

import uuid
from collections.abc import Callable
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.windows import half
from slowwave.domain.job_table import CONSOLIDATE, PLAN, WINDOWED
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Fault, Fenced, NotFound
from slowwave.store import pending_windows
from slowwave.store.direct import ask, send
from slowwave.store.statements import execute, sql
from slowwave.store.work_queue import intents


def renew(connection: Connection, run: Run, lease_seconds: float) -> bool:
    """Extend the lease of *run*; return whether the run still has the lease.

    Served by the primary key scope_leases_pkey.
    """
    renewed = execute(connection, "work_queue/renew_lease", scope=run.scope, fence=run.fence, lease=lease_seconds)
    return renewed.rowcount == 1


def fence(connection: Connection, run: Run) -> datetime:
    """Lock the lease row under the run's fence until the transaction ends; return the recorded time of its last delta.

    Raises `Fenced` if another worker has the lease.
    """
    return ask_fence(connection, run)()


def ask_fence(connection: Connection, run: Run) -> Callable[[], datetime]:
    """Send the statement of `fence`; return the function that waits for the result and checks the result."""
    answer = ask(connection, sql("work_queue/check_fence"), {"scope": run.scope, "fence": run.fence})

    def check() -> datetime:
        last = answer().scalar_one_or_none()
        if last is None:
            raise Fenced("another worker holds this scope now", hint="no action needed: that worker has the window")
        assert isinstance(last, datetime)
        return last

    return check


def open_scope(connection: Connection, scope: uuid.UUID) -> datetime | None:
    """Lock a scope's lease row until the transaction ends; return the scope's last recorded time.

    Returns None while a worker holds the scope, or another transaction has locked the row. Lock several scopes in order
    of id. Served by scope_leases_pkey.
    """
    return execute(connection, "work_queue/open_scope", scope=scope).scalar_one_or_none()


def take_by_hand(connection: Connection, scope: Scope) -> datetime:
    """Take a scope's lease for this transaction; return the scope's last recorded time. An expired lease is replaced.

    Raises `NotFound` for an unknown scope, and `Conflict` while a worker holds the scope.
    """
    row = execute(connection, "work_queue/take_lease_manually", scope=scope.id).one_or_none()
    if row is not None:
        last: datetime = row.last_recorded
        return last
    if execute(connection, "work_queue/lease_known", scope=scope.id).one_or_none() is None:
        raise NotFound(f"nothing is remembered in {scope.key}", hint="push an episode first: a delta cites its sources")
    raise Conflict("a worker holds this scope now", hint="try again in a moment")


def revoke(connection: Connection, scope: uuid.UUID) -> None:
    """Take a scope's lease from the run that works there. The run cannot commit any more, and no failure is counted."""
    execute(connection, "work_queue/revoke_lease", scope=scope)


def ask_pass_window(connection: Connection, run: Run, newest: datetime | None = None) -> Callable[[], None]:
    """Move the watermark from just before the window to its end; return the function that waits and checks the result.

    The function raises `Fault` unless exactly one row changed. A planning run moves the planned position instead.
    Retried or replanned windows move no position.

    *newest* is the latest time of occurrence of the episodes read so far. With None, the stored time stays.
    """
    if run.model_window is not None and run.job == CONSOLIDATE:
        pending_windows.move(connection, run)
    if run.job not in WINDOWED or run.only or (run.model_window is not None and run.job == PLAN):
        return lambda: None
    answer = ask(
        connection,
        sql("pending_windows/pass_plan" if run.job == PLAN else "runs/pass_window"),
        {"scope": run.scope, "pack": run.pack, "lo": run.lo, "hi": run.hi, "newest": newest},
    )

    def check() -> None:
        if answer().rowcount != 1:
            raise Fault(f"the watermark of scope {run.scope} moved during run {run.run}", hint="please report this")

    return check


def finish(connection: Connection, run: Run, outcome: str, *, counts: str = "{}", error: str | None = None) -> None:
    """End the intent and the run, and release the lease; create an intent for work beyond the window."""
    rest = [] if run.model_window else [position for position in run.only if position > run.hi]
    more = bool(rest) or (run.job in WINDOWED and run.hi < run.target)
    if not (more or run.partial or run.job == PLAN or run.model_window is not None):
        return end(connection, run, outcome, counts=counts, error=error, intent=run.intent)
    connection.exec_driver_sql("DELETE FROM intents WHERE intent = %(intent)s", {"intent": run.intent})
    if run.model_window is not None and run.job == CONSOLIDATE:
        pending_windows.wake(connection, run)
        return end(connection, run, outcome, counts=counts, error=error)
    if run.job == PLAN:
        pending_windows.wake_stale(connection, run)
    if more:
        intents.ask(
            connection,
            scope=run.scope,
            tenant=run.tenant,
            job=run.job,
            pack=run.pack,
            target=run.target,
            only=rest,
            partial=run.partial,
        )
    elif run.partial:
        intents.leave_rest(connection, scope=run.scope, job=run.job, pack=run.pack, hi=run.hi)
    end(connection, run, outcome, counts=counts, error=error)


def narrow(connection: Connection, run: Run, error: str, *, wait_seconds: float) -> None:
    """Halve the window for the next run, and record that the episodes up to the old end may have caused the failure."""
    execute(connection, "runs/suspect", scope=run.scope, pack=run.pack, position=run.hi)
    execute(connection, "runs/narrow", intent=run.intent, hi=half(run.lo, run.hi), wait=wait_seconds)
    end(connection, run, "narrowed", error=error)


def give_back(connection: Connection, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
    """Release the lease without counting a failure. The intent keeps its window, and is due after *wait_seconds*."""
    execute(connection, "work_queue/give_back", intent=run.intent, wait=wait_seconds)
    end(connection, run, outcome, error=error)


def put_off(connection: Connection, run: Run, error: str, *, wait_seconds: float) -> None:
    """Release the lease and count a fault of Slowwave's code.

    The intent keeps its window, and is due after *wait_seconds*.
    """
    execute(connection, "work_queue/postpone", intent=run.intent, wait=wait_seconds)
    end(connection, run, "faulted", error=error)


def strike(connection: Connection, run: Run) -> int:
    """Count a fault or a died worker as a strike against the only episode of the window; return the number so far."""
    strikes = connection.exec_driver_sql(
        "UPDATE intents SET strikes = strikes + 1 WHERE intent = %(intent)s RETURNING strikes", {"intent": run.intent}
    ).scalar_one()
    assert isinstance(strikes, int)
    return strikes


def end(
    connection: Connection,
    run: Run,
    outcome: str,
    *,
    counts: str = "{}",
    error: str | None = None,
    intent: int | None = None,
) -> None:
    """Record the outcome of the run, and release its lease. End *intent*, if given."""
    send(
        connection,
        sql("work_queue/end_run"),
        {
            "run": run.run,
            "intent": intent,
            "outcome": outcome,
            "counts": counts,
            "error": error,
            "hi": run.hi,
            "scope": run.scope,
            "fence": run.fence,
        },
    )
