"""Windows that wait for a model. A run claims a window that must be planned again, or that has all replies."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.windows import first_window
from slowwave.domain.job_table import RECONSIDER, RETELL, pack_of
from slowwave.domain.run import Run
from slowwave.errors import Conflict, Fault
from slowwave.store.statements import execute

_ALONE = [pack_of(RECONSIDER), pack_of(RETELL)]
"""The packs of jobs whose requests belong to no window."""


def stale(connection: Connection, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the oldest window of the intent's scope and pack that must be planned again, or None."""
    found = execute(connection, "pending_windows/stale", **_of(row)).mappings().one_or_none()
    return dict(found) if found else None


def ready(connection: Connection, row: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the next window, or the window that the intent names, if its replies can be processed; else None.

    After a crash, windows are small until the watermark has passed the episodes that may have caused the crash; see
    `first_window`.
    """
    wanted = {**_of(row), "model_window": row["model_window"]}
    found = execute(connection, "pending_windows/ready", **wanted).mappings().one_or_none()
    if found is None:
        return None
    lo, hi = found["lo"], found["hi"]
    if found["chosen"] is None:
        mark = found["position"]
        lo, hi = first_window(watermark=mark, suspect=found["suspect"], head=hi, largest=hi - mark)
    return {**{name: found[name] for name in ("model_window", "chosen", "newest")}, "lo": lo, "hi": hi}


def hold_back(connection: Connection, row: Mapping[str, Any], ahead: int) -> bool:
    """Return whether at least *ahead* windows wait. If so, delay planning until the next window is consolidated."""
    if execute(connection, "pending_windows/count_waiting", **_of(row)).scalar_one() < ahead:
        return False
    execute(connection, "pending_windows/delay_planning", intent=row["intent"])
    return True


def move(connection: Connection, run: Run) -> None:
    """Move the run's window past the episodes that the run has read.

    Raises `Conflict` if the window is no longer complete, because a chunk was erased or must be planned again.
    """
    statement = "pending_windows/move_chosen" if run.only else "pending_windows/end_window"
    moved = execute(connection, statement, model_window=run.model_window, lo=run.lo, hi=run.hi)
    if moved.rowcount != 1:
        raise Conflict("the window waits again: its plan has changed", hint="no action needed: it is planned again")


def wake(connection: Connection, run: Run) -> None:
    """Create an intent for the next window, if its replies can be processed, and an intent for delayed planning."""
    execute(connection, "pending_windows/wake_next", **_of_run(run))


def wake_scope(connection: Connection, row: Mapping[str, Any]) -> None:
    """Create intents for a pack in a scope: to consolidate the next complete window, and to plan windows again."""
    of = {**_of(row), "tenant": row["tenant"]}
    execute(connection, "pending_windows/wake_next", **of)
    execute(connection, "pending_windows/plan_next_stale", **of)


def wake_stale(connection: Connection, run: Run) -> None:
    """Create an intent to plan if a window of the pack must be planned again."""
    execute(connection, "pending_windows/plan_next_stale", **_of_run(run))


def give_up(connection: Connection, pack: str) -> None:
    """Drop the plans of a pack that needs no model any more."""
    execute(connection, "pending_windows/drop_plans", pack=pack)


def wake_complete(connection: Connection, request: str) -> None:
    """Create intents to consolidate the windows that waited only for *request*, which has ended.

    The windows stay locked.
    """
    windows = lock_waiting(connection, request)
    if windows:
        execute(connection, "pending_windows/wake_complete", windows=windows)
    wake_alone(connection, request)


def split(connection: Connection, request: str) -> None:
    """Mark the windows of a *request* to be planned again, because the request must be split."""
    set_stale(connection, lock_waiting(connection, request))
    wake_alone(connection, request)


def wake_alone(connection: Connection, request: str) -> None:
    """Create an intent for the job, if any, that waits for *request* without a window."""
    execute(connection, "model_requests/wake_builtin_job", request=request, packs=_ALONE)


def set_stale(connection: Connection, windows: Sequence[int]) -> None:
    """Mark these waiting windows to be planned again, and create intents to plan."""
    if windows:
        execute(connection, "pending_windows/set_stale", windows=sorted(windows))


def lock_waiting(connection: Connection, request: str) -> list[int]:
    """Lock the waiting windows of a request; return their numbers."""
    return list(execute(connection, "pending_windows/lock_waiting", request=request).scalars())


def end_crashing_chunk(connection: Connection, run: Run, reason: str) -> bool:
    """End the chunk whose reply crashed the process; return False if the run reads no replies.

    The crash counts against the chunk and not against an episode. The next run continues without the chunk.
    """
    if run.model_window is None:
        return False
    about = {"model_window": run.model_window, "position": run.positions[0], "reason": reason}
    return execute(connection, "pending_windows/end_crashing_chunk", **about).rowcount > 0


def planned(connection: Connection, run: Run, *, edition: str, requests: Sequence[str]) -> None:
    """Write the window that *run* planned, or a new plan of a window.

    If all replies exist, create an intent to consolidate.

    If only a part of a window is planned again, the other part becomes a window of its own. Raises `Fault` if the
    window is completed.
    """
    window = run.model_window
    if window is None:
        of = {**_of_run(run), "edition": edition, "lo": run.lo, "hi": run.hi}
        window = execute(
            connection, "pending_windows/add", **of, chosen=run.positions if run.only else None
        ).scalar_one()
        assert isinstance(window, int)
    else:
        execute(connection, "pending_windows/shrink", model_window=window, hi=run.hi)
        renewed = execute(connection, "pending_windows/begin_new_plan", model_window=window, edition=edition)
        if renewed.rowcount != 1:
            raise Fault(f"the window {window} was applied while it was planned again", hint="please report this")
    if requests:
        execute(connection, "pending_windows/link_requests", model_window=window, requests=sorted(set(requests)))
    execute(connection, "pending_windows/wake_complete", windows=[window])


def _of(row: Mapping[str, Any]) -> dict[str, uuid.UUID | str]:
    return {"scope": row["scope"], "pack": row["pack"]}


def _of_run(run: Run) -> dict[str, Any]:
    return {"scope": run.scope, "pack": run.pack, "tenant": run.tenant}
