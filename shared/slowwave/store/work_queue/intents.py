"""Claims of due intents. Each claim takes the lease of a scope and fixes a window."""

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection

from slowwave.core.backoff import LONGEST_PAUSE_SECONDS
from slowwave.core.windows import after_vanishing, evidence_after_faults, first_window, half
from slowwave.domain.job_table import CONSOLIDATE, DETECT_PATTERNS, INSTALLATION, PLAN, RETRY, SLICED, WINDOWED
from slowwave.domain.run import Evidence, Run
from slowwave.store import pending_windows
from slowwave.store.direct import ask as ask_for
from slowwave.store.direct import send
from slowwave.store.statements import execute, exists, sql


def ask(
    connection: Connection,
    *,
    scope: uuid.UUID,
    tenant: str,
    job: str,
    pack: str,
    target: int,
    only: Sequence[int] | None = None,
    partial: bool = False,
) -> None:
    """Create a pending intent of (scope, job, pack) that is due at once, or make an existing intent due.

    *partial* excludes all work beyond *target*.
    """
    execute(
        connection,
        "work_queue/ask",
        scope=scope,
        tenant=tenant,
        job=job,
        pack=pack,
        target=target,
        only=list(only) if only else None,
        upto=target if partial else None,
    )


def leave_rest(connection: Connection, *, scope: uuid.UUID, job: str, pack: str, hi: int) -> None:
    """Delay the work beyond the position *hi* until the work reaches its maximum age or is requested again."""
    execute(connection, "work_queue/postpone_rest", scope=scope, job=job, pack=pack, hi=hi)


def any_due(connection: Connection, scope: uuid.UUID | None) -> bool:
    """Return whether an intent is due or running, in one scope or in any scope. Served by the index intents_due."""
    due = "FROM intents WHERE due <= (SELECT slowwave_now()) AND (%(scope)s::uuid IS NULL OR scope = %(scope)s)"
    return exists(connection, due, scope=scope)


def runnable_jobs(connection: Connection, scope: uuid.UUID) -> list[str]:
    """Return the jobs due in a scope whose lease is free. Served by scope_leases_pkey and intents_due."""
    rows = execute(connection, "work_queue/runnable_jobs", scope=scope)
    return list(rows.scalars())


def claim(
    connection: Connection,
    *,
    owner: str,
    lease_seconds: float,
    largest: Mapping[str, int],
    settings: Callable[[str, str], Mapping[str, Any]],
    ahead: int = 1,
    scope: uuid.UUID | None = None,
    jobs: Sequence[str] | None = None,
    besides: Sequence[str] | None = None,
    overdue_seconds: float = 0,
    task: str = "",
    fresh: bool = False,
) -> Run | None:
    """Claim and return the next run, or None if no due work is free.

    *connection* has the role `dispatch`, or `app` if *fresh* is true. With *fresh*, the function returns None for work
    that an earlier run did not finish, and for jobs of a slice or of the installation, because the role `app` lacks the
    rights. Work of the tenants in *besides* is skipped. *largest* is the longest window of each job, in episodes.
    *ahead* is the number of windows of a scope and pack that may wait for a model. *settings* returns the settings in
    force for a job and a pack. The run stores these settings, and the id of the Celery *task*.
    """
    while row := _take(connection, scope, jobs, besides, overdue_seconds, lease_seconds):
        if fresh and (row["state"] == "running" or row["job"] in (*SLICED, *INSTALLATION)):
            return None
        leased = ask_for(
            connection, sql("work_queue/take_lease"), {"scope": row["scope"], "owner": owner, "lease": lease_seconds}
        )
        run = (
            _resumed(connection, row)
            if row["state"] == "running"
            else _begun(connection, row, largest.get(row["job"], 1), ahead)
        )
        fence = leased().scalar_one()
        if run is not None:
            if row["state"] == "pending" and not row["hastened"]:
                _aged(connection, {**row, **run, "owner": owner})
            in_force = settings(row["job"], row["pack"])
            return _record(connection, {**row, **run, "fence": fence, "owner": owner}, in_force, task)
        _let_go(connection, row, fence)
    return None


def _take(
    connection: Connection,
    scope: uuid.UUID | None,
    jobs: Sequence[str] | None,
    besides: Sequence[str] | None,
    overdue: float,
    lease: float,
) -> dict[str, Any] | None:
    if scope is None:  # only the clock value differs between calls, and planning would take longer than the rest
        send(connection, "SET LOCAL plan_cache_mode = force_generic_plan", None)
    parameters = {"scope": scope, "jobs": list(jobs) if jobs else None, "overdue": overdue, "lease": lease}
    parameters["besides"] = list(besides) if besides else None
    row = execute(connection, "work_queue/take_intent", **parameters).mappings().one_or_none()
    return dict(row) if row else None


def _begun(connection: Connection, row: dict[str, Any], largest: int, ahead: int) -> dict[str, Any] | None:
    """Return the window for the first run of a locked intent; None if no work is left.

    From now on, only the upper end of the window may shrink.
    """
    if row["job"] == RETRY:
        only = sorted(set(row["chosen"] or ()))
        return {"lo": only[0], "hi": only[-1], "chosen": only} if only else None
    if row["job"] not in WINDOWED:
        return {"lo": 0, "hi": 0}
    if row["job"] == CONSOLIDATE and row["due_by"] == PLAN:
        return pending_windows.ready(connection, row)
    if row["job"] == PLAN:
        stale = pending_windows.stale(connection, row)
        row["held_back"] = stale is None and pending_windows.hold_back(connection, row, ahead)
        if stale or row["held_back"]:
            return stale
    marks = execute(connection, "work_queue/window", scope=row["scope"], pack=row["pack"]).one()
    known = marks.prepared is not None and marks.prepared > marks.position  # otherwise no pack needs prepared episodes
    head = min(marks.head, marks.prepared) if known else marks.head
    head = head if row["upto"] is None else min(head, row["upto"])
    if head <= marks.position and row["job"] == DETECT_PATTERNS:
        return {"lo": marks.position + 1, "hi": marks.position}  # it also reads the ledger entries since its last run
    if head <= marks.position:
        row["passed"] = marks.position
        return None
    lo, hi = first_window(
        watermark=marks.position, suspect=marks.suspect, head=head, largest=largest, segment_end=marks.segment_end
    )
    return {"lo": lo, "hi": hi, "segmented": marks.segmented, "newest": marks.newest}


def _aged(connection: Connection, row: Mapping[str, Any]) -> None:
    """Record the firing of work that became due by age before a scheduler saw it."""
    fields = {name: row[name] for name in ("scope", "tenant", "job", "pack", "lo", "owner")}
    execute(connection, "work_queue/fire_age", **fields)


def _resumed(connection: Connection, row: dict[str, Any]) -> dict[str, Any] | None:
    """Return the window of an earlier attempt; None if this window waits for a model again, or was planned."""
    if row["model_window"] is None:
        return _judged(connection, row)
    again = (pending_windows.ready if row["job"] == CONSOLIDATE else pending_windows.stale)(connection, row)
    if again is None or again["model_window"] != row["model_window"] or again["lo"] != row["lo"]:
        return None
    row["chosen"] = again["chosen"]
    return _judged(connection, row)


def _judged(connection: Connection, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what follows from an unfinished earlier run: evidence against an episode, a smaller window or a strike.

    A fence that is still set means that the worker of that run died.
    """
    if row["fence"] is None and row["faults"]:
        return {"evidence": _evidence(connection, row)}
    if row["fence"] is None or row["since"] is None or row["booted"] >= row["since"]:
        return {}  # released on purpose; or the database restarted, which is no evidence against the episode
    vanished = row["vanished"] + 1
    if row["job"] not in WINDOWED and row["job"] != RETRY:
        return {"vanished": vanished}  # the job reads no episodes, so no episode is to blame
    witnessed = exists(connection, "FROM runs WHERE outcome = 'ok' AND finished > %(since)s", since=row["since"])
    verdict = after_vanishing(
        lo=row["lo"], hi=row["hi"], vanished=vanished, strikes=row["strikes"], witnessed=witnessed
    )
    if verdict == "halve":
        execute(connection, "runs/suspect", scope=row["scope"], pack=row["pack"], position=row["hi"])
        return {"vanished": vanished, "hi": half(row["lo"], row["hi"]), "strikes": 0}
    if verdict in ("strike", "condemn"):
        condemned = f"its worker vanished {vanished} times" if verdict == "condemn" else None
        return {"vanished": vanished, "strikes": row["strikes"] + 1, "condemned": condemned}
    return {"vanished": vanished, "unwitnessed": verdict == "witness"}


def _evidence(connection: Connection, row: Mapping[str, Any]) -> Evidence:
    """Return the evidence against the window's episode, from other runs since the last fault of Slowwave's code."""
    found = execute(
        connection,
        "work_queue/evidence",
        scope=row["scope"],
        intent=row["intent"],
        pack=row["pack"],
        since=row["faulted"],
        longest=LONGEST_PAUSE_SECONDS,
    ).one()
    return evidence_after_faults(faults=row["faults"], witnessed=found.witnessed, shared=found.shared)


def _record(connection: Connection, row: Mapping[str, Any], settings: Mapping[str, Any], task: str) -> Run:
    """Record the claim.

    The due time of the intent becomes now. If the worker dies, other due intents come first.
    """
    began = {name: row[name] for name in ("vanished", "strikes", "model_window")}
    parameters = {
        name: row[name] for name in ("scope", "tenant", "job", "pack", "intent", "lo", "hi", "fence", "owner")
    }
    run, canary = execute(
        connection, "work_queue/begin_run", **parameters, **began, settings=json.dumps(dict(settings)), task=task
    ).one()
    return Run(
        run=run,
        canary=canary,
        target=row["target"] if row["upto"] is None else row["upto"],
        partial=row["upto"] is not None,
        only=tuple(row["chosen"] or ()),
        condemned=row.get("condemned"),
        unwitnessed=row.get("unwitnessed", False),
        segmented=row.get("segmented", True),
        faults=row["faults"],
        evidence=row.get("evidence", "none"),
        newest=row.get("newest"),
        model_window=row["model_window"],
        **parameters,
    )


def _let_go(connection: Connection, row: Mapping[str, Any], fence: int) -> None:
    """Release the lease, and delete an intent whose work is already done. Work beyond its target keeps waiting.

    An intent of delayed planning stays. If another window may be applied, a new intent is created.
    """
    execute(connection, "work_queue/release_lease", scope=row["scope"], fence=fence)
    if row.get("held_back"):
        return
    connection.exec_driver_sql("DELETE FROM intents WHERE intent = %(intent)s", {"intent": row["intent"]})
    if row["model_window"] is not None:
        pending_windows.wake_scope(connection, row)
    if row["upto"] is not None and "passed" in row:
        leave_rest(connection, scope=row["scope"], job=row["job"], pack=row["pack"], hi=row["passed"])
