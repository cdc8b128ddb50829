"""Windows at the desk: claimed when they are stale or complete, moved when they are applied, found when they close."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.windows import first_window
from slowwave.domain.job_table import RECONSIDER, RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fault
from slowwave.store.statements import sql

_ALONE = [pack_of(RECONSIDER), pack_of(RETELL)]
"""Packs of jobs whose requests belong to no window."""


def stale(connection: Connection, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the oldest window of the intent's scope and pack that is to be planned anew."""
    found = connection.exec_driver_sql(sql("windows/stale"), _of(row)).mappings().one_or_none()
    return dict(found) if found else None


def ready(connection: Connection, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the window to apply next, or as much of it as suspicion allows; the named one, where the intent has one.

    Windows stay small until the watermark has passed what is suspected, see `first_window`.
    """
    wanted = {**_of(row), "model_window": row["model_window"]}
    found = connection.exec_driver_sql(sql("windows/ready"), wanted).mappings().one_or_none()
    if found is None:
        return None
    lo, hi = found["lo"], found["hi"]
    if found["chosen"] is None:
        mark = found["position"]
        lo, hi = first_window(watermark=mark, suspect=found["suspect"], head=hi, largest=hi - mark)
    return {"model_window": found["model_window"], "lo": lo, "hi": hi, "chosen": found["chosen"]}


def hold_back(connection: Connection, row: Mapping[str, Any], ahead: int) -> bool:
    """Return whether so many windows wait already that planning waits too; the next apply makes it due again."""
    if connection.exec_driver_sql(sql("windows/waiting"), _of(row)).scalar_one() < ahead:
        return False
    connection.exec_driver_sql(sql("windows/hold_back"), {"intent": row["intent"]})
    return True


def move(connection: Connection, run: Run) -> None:
    """Move the run's window past what it has read.

    Raises `Conflict` where the window is complete no longer: a chunk was erased, or is to be planned anew.
    """
    statement = "windows/move_chosen" if run.only else "windows/done"
    at = {"model_window": run.model_window, "lo": run.lo, "hi": run.hi}
    moved = connection.exec_driver_sql(sql(statement), at)
    if moved.rowcount != 1:
        raise Conflict("the window waits again: its plan has changed", hint="nothing to do: it is planned anew")


def wake(connection: Connection, run: Run) -> None:
    """Ask for the next window, if it may be applied, and for planning that had no room."""
    connection.exec_driver_sql(sql("windows/wake"), _of_run(run))


def wake_scope(connection: Connection, row: Mapping[str, Any]) -> None:
    """Ask for whatever may go on with a pack in a scope: applying, planning anew, planning that had no room."""
    of = {**_of(row), "tenant": row["tenant"]}
    connection.exec_driver_sql(sql("windows/wake"), of)
    connection.exec_driver_sql(sql("windows/any_stale"), of)


def wake_stale(connection: Connection, run: Run) -> None:
    """Ask for another plan while a window of the pack is to be planned anew."""
    connection.exec_driver_sql(sql("windows/any_stale"), _of_run(run))


def outdate(connection: Connection, pack: str, edition: str) -> None:
    """Let windows of *pack* be planned anew that still wait for replies to another *edition*'s requests."""
    connection.exec_driver_sql(sql("windows/outdated"), {"pack": pack, "edition": edition})


def give_up(connection: Connection, pack: str) -> None:
    """Let go of what a pack has planned that needs no model any more."""
    connection.exec_driver_sql(sql("windows/give_up"), {"pack": pack})


def gather(connection: Connection, request: str) -> None:
    """Ask for the consolidation of windows that *request*, now closed, completes. They stay locked."""
    windows = lock_waiting(connection, request)
    if windows:
        connection.exec_driver_sql(sql("windows/gather"), {"windows": windows})
    wake_alone(connection, request)


def split(connection: Connection, request: str) -> None:
    """Let the windows of a *request* that is to be cut in two be planned anew."""
    set_stale(connection, lock_waiting(connection, request))
    wake_alone(connection, request)


def wake_alone(connection: Connection, request: str) -> None:
    """Let the job go on that reads the replies to its requests by itself, and waits for no window."""
    connection.exec_driver_sql(sql("desk/wake_alone"), {"request": request, "packs": _ALONE})


def set_stale(connection: Connection, windows: Sequence[int]) -> None:
    """Let these waiting windows be planned anew, and ask for it."""
    if windows:
        connection.exec_driver_sql(sql("windows/set_stale"), {"windows": sorted(windows)})


def lock_waiting(connection: Connection, request: str) -> list[int]:
    """Lock the waiting windows of a request; return their numbers."""
    return list(connection.exec_driver_sql(sql("windows/lock_waiting"), {"request": request}).scalars())


def condemn(connection: Connection, run: Run, reason: str) -> bool:
    """Let the chunk be dead whose reply harms who reads it; return False where the run reads none.

    It is the chunk, not the episode: the next run goes on without it.
    """
    if run.model_window is None:
        return False
    about = {"model_window": run.model_window, "position": run.positions[0], "reason": reason}
    return connection.exec_driver_sql(sql("windows/condemn"), about).rowcount > 0


def planned(connection: Connection, run: Run, *, edition: str, requests: Sequence[str]) -> None:
    """Write the window that *run* has planned, or its new plan, and ask for its consolidation if all is at hand.

    Of a window that is planned anew only in part the rest becomes one of its own. Raises `Fault` for one that is done.
    """
    window = run.model_window
    if window is None:
        of = {**_of_run(run), "edition": edition, "lo": run.lo, "hi": run.hi}
        window = connection.exec_driver_sql(
            sql("windows/add"), {**of, "chosen": run.positions if run.only else None}
        ).scalar_one()
        assert isinstance(window, int)
    else:
        connection.exec_driver_sql(sql("windows/shrink"), {"model_window": window, "hi": run.hi})
        renewed = connection.exec_driver_sql(sql("windows/renew"), {"model_window": window, "edition": edition})
        if renewed.rowcount != 1:
            raise Fault(f"the window {window} was applied while it was planned anew", hint="please report this")
    if requests:
        connection.exec_driver_sql(sql("windows/link"), {"model_window": window, "requests": sorted(set(requests))})
    connection.exec_driver_sql(sql("windows/gather"), {"windows": [window]})


def _of(row: Mapping[str, Any]) -> dict[str, uuid.UUID | str]:
    return {"scope": row["scope"], "pack": row["pack"]}


def _of_run(run: Run) -> dict[str, Any]:
    return {"scope": run.scope, "pack": run.pack, "tenant": run.tenant}
