"""The lease row of a scope, the right to write its beliefs: taken, renewed, proven, released. Nobody else locks it.

A run goes through `fence`, another scope's run or a job of many scopes through `open_scope`, a hand through
`take_by_hand`.
"""

import uuid
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.windows import half
from slowwave.domain.job_table import CONSOLIDATE, PLAN, WINDOWED
from slowwave.domain.run import Run
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Fault, Fenced, NotFound
from slowwave.store.claims import intents
from slowwave.store.statements import sql
from slowwave.store.windows import windows


def renew(connection: Connection, run: Run, lease_seconds: float) -> bool:
    """Extend the lease; return whether it was still ours. Served by scope_leases_pkey."""
    renewed = connection.exec_driver_sql(
        sql("claims/renew_lease"),
        {"scope": run.scope, "fence": run.fence, "lease": lease_seconds},
    )
    return renewed.rowcount == 1


def fence(connection: Connection, run: Run) -> datetime:
    """Lock the lease row under our fence until the transaction ends; return the last time recorded in the scope.

    Raises `Fenced` when the lease is somebody else's.
    """
    last = connection.exec_driver_sql(
        sql("claims/fence"),
        {"scope": run.scope, "fence": run.fence},
    ).scalar_one_or_none()
    if last is None:
        raise Fenced("another worker holds this scope now", hint="nothing to do: the window is in its hands")
    assert isinstance(last, datetime)
    return last


def open_scope(connection: Connection, scope: uuid.UUID) -> datetime | None:
    """Lock a scope's lease row until the transaction ends; return the last time recorded there.

    Returns None while a worker holds the scope, or somebody else's transaction has the row. Lock several scopes in the
    order of their ids. Served by scope_leases_pkey.
    """
    return connection.exec_driver_sql(
        sql("claims/open_scope"),
        {"scope": scope},
    ).scalar_one_or_none()


def take_by_hand(connection: Connection, scope: Scope) -> datetime:
    """Take a scope for this transaction, from whoever lost it; return the last time recorded there.

    Raises `NotFound` for a scope that is not there and `Conflict` while a worker holds it.
    """
    row = connection.exec_driver_sql(
        sql("claims/take_lease_by_hand"),
        {"scope": scope.id},
    ).one_or_none()
    if row is not None:
        last: datetime = row.last_recorded
        return last
    if connection.exec_driver_sql(sql("claims/lease_known"), {"scope": scope.id}).one_or_none() is None:
        raise NotFound(f"nothing is remembered in {scope.key}", hint="push an episode first: a delta cites its sources")
    raise Conflict("a worker holds this scope now", hint="ask again in a moment")


def fence_out(connection: Connection, scope: uuid.UUID) -> None:
    """Take a scope from whoever works on it, blaming nobody: what a run has read, it may write no more."""
    connection.exec_driver_sql(sql("claims/fence_out"), {"scope": scope})


def pass_window(connection: Connection, run: Run) -> None:
    """Move the watermark from just before the window to its end; exactly one row, or a promise is broken.

    A plan moves how far the pack has planned; what was retried, or is planned anew, moves neither.
    """
    if run.model_window is not None and run.job == CONSOLIDATE:
        windows.move(connection, run)
    if run.job not in WINDOWED or run.only or (run.model_window is not None and run.job == PLAN):
        return
    moved = connection.exec_driver_sql(
        sql("windows/pass_plan" if run.job == PLAN else "runs/pass_window"),
        {"scope": run.scope, "pack": run.pack, "lo": run.lo, "hi": run.hi},
    )
    if moved.rowcount != 1:
        raise Fault(f"the watermark of scope {run.scope} moved under run {run.run}", hint="please report this")


def finish(connection: Connection, run: Run, outcome: str, *, counts: str = "{}", error: str | None = None) -> None:
    """End the intent and the run and release the lease; ask again for what was asked beyond the window."""
    connection.exec_driver_sql("DELETE FROM intents WHERE intent = %(intent)s", {"intent": run.intent})
    if run.model_window is not None and run.job == CONSOLIDATE:
        windows.wake(connection, run)
        return end(connection, run, outcome, counts=counts, error=error)
    if run.job == PLAN:
        windows.wake_stale(connection, run)
    rest = [] if run.model_window else [position for position in run.only if position > run.hi]
    if rest or (run.job in WINDOWED and run.hi < run.target):
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
    """Cut the window in half for the next run, and remember how far the suspicion reaches."""
    connection.exec_driver_sql(
        sql("runs/suspect"),
        {"scope": run.scope, "pack": run.pack, "position": run.hi},
    )
    connection.exec_driver_sql(
        sql("runs/narrow"),
        {"intent": run.intent, "hi": half(run.lo, run.hi), "wait": wait_seconds},
    )
    end(connection, run, "narrowed", error=error)


def give_back(connection: Connection, run: Run, outcome: str, *, wait_seconds: float, error: str) -> None:
    """Keep the window, count no strike, release the lease, and come back after *wait_seconds*."""
    connection.exec_driver_sql(
        sql("claims/give_back"),
        {"intent": run.intent, "wait": wait_seconds},
    )
    end(connection, run, outcome, error=error)


def put_off(connection: Connection, run: Run, error: str, *, wait_seconds: float) -> None:
    """Keep the window, count a fault of ours, release the lease, and come back after *wait_seconds*."""
    connection.exec_driver_sql(
        sql("claims/put_off"),
        {"intent": run.intent, "wait": wait_seconds},
    )
    end(connection, run, "faulted", error=error)


def strike(connection: Connection, run: Run) -> int:
    """Count one vanishing or fault against the window's single episode; return how many there are now."""
    strikes = connection.exec_driver_sql(
        "UPDATE intents SET strikes = strikes + 1 WHERE intent = %(intent)s RETURNING strikes", {"intent": run.intent}
    ).scalar_one()
    assert isinstance(strikes, int)
    return strikes


def end(connection: Connection, run: Run, outcome: str, *, counts: str = "{}", error: str | None = None) -> None:
    """Write how the run ended and release its lease."""
    connection.exec_driver_sql(
        sql("claims/end_run"),
        {
            "run": run.run,
            "outcome": outcome,
            "counts": counts,
            "error": error,
            "hi": run.hi,
            "scope": run.scope,
            "fence": run.fence,
        },
    )
