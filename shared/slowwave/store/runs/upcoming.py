"""The windows to consolidate that will probably follow a run, so that their episodes are read ahead."""

import uuid
from collections.abc import Callable

from sqlalchemy import Connection

from slowwave.domain.job_table import CONSOLIDATE
from slowwave.domain.run import Run
from slowwave.ports.context import Place
from slowwave.store.direct import ask, send
from slowwave.store.statements import sql

LEAST_AHEAD = 32
"""Windows with fewer episodes are not looked up ahead."""


def upcoming(
    connection: Connection, run: Run, *, largest: int, most: int
) -> list[tuple[str, uuid.UUID, str, int, int]]:
    """Return the next windows to consolidate after *run*, for a lone worker: tenant, scope, pack, first, last position.

    Short windows are left out. The result is a guess: a window may end elsewhere when it is claimed.
    """
    send(connection, "SET LOCAL plan_cache_mode = force_generic_plan", None)  # a claim sets this too
    asked = {name: getattr(run, name) for name in ("tenant", "scope", "pack", "hi", "target")}
    limits = {"largest": largest, "least": LEAST_AHEAD, "most": most}
    same = {"job": CONSOLIDATE, "same": run.job == CONSOLIDATE}
    return [tuple(row) for row in connection.exec_driver_sql(sql("runs/upcoming"), {**asked, **limits, **same})]


def upcoming_of_scope(
    connection: Connection, scope: uuid.UUID, *, largest: int
) -> Callable[[], list[tuple[Place, int, int]]]:
    """Ask for the windows to consolidate that are due in *scope*, as `upcoming` does, but with the role `app`.

    Return the function that waits for them: where each begins, its first and its last position.
    """
    asked = {"scope": scope, "largest": largest, "least": LEAST_AHEAD, "job": CONSOLIDATE}
    rows = ask(connection, sql("runs/upcoming_of_scope"), asked)
    return lambda: [((row.scope, row.pack, row.lo), row.lo, row.hi) for row in rows()]
