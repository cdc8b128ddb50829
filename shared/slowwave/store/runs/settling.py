"""The transaction that settles a run. It writes all results, moves the watermark, and ends the run."""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import singledispatch

from sqlalchemy import Connection

from slowwave.domain.job_table import CONSOLIDATE, PREPARE
from slowwave.domain.queries.unread import ReadIn
from slowwave.domain.run import Run
from slowwave.errors import Fault
from slowwave.ports import IntentRequest, Plan, Settled, Vectors
from slowwave.ports.context import Place
from slowwave.store import dead_letters
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.blocks import packing
from slowwave.store.direct import ask, send
from slowwave.store.queries import conversation_turns
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import space_number
from slowwave.store.work_queue import leases

LEAST_AHEAD = 32
"""The fewest episodes of a window that is looked up ahead."""


@singledispatch
def write(effect: object, _connection: Connection, run: Run) -> None:
    """Write *effect*, an instruction for the transaction that ends *run*. Raises `Fault` for an unregistered kind."""
    raise Fault(f"no store knows the effect {type(effect).__name__} of {run.job}", hint="please report this")


@write.register
def _ask(effect: IntentRequest, connection: Connection, run: Run) -> None:
    send(
        connection,
        sql("runs/ask"),
        {
            "scope": run.scope,
            "tenant": run.tenant,
            "job": effect.job,
            "pack": effect.pack,
            "target": run.hi,
            "at_once": effect.at_once,
        },
    )


@write.register
def _settled(effect: Settled, connection: Connection, run: Run) -> None:
    dead_letters.settle(connection, run.scope, effect.reviews)


@write.register
def _read_in(effect: ReadIn, connection: Connection, run: Run) -> None:
    conversation_turns.keep(connection, run, effect)


def settled(connection: Connection, run: Run, plan: Plan, *, space: tuple[str, int]) -> Counter[str]:
    """Write *plan* under the fence of *run*, and end the run; return the number of deltas by kind.

    *space* is the embedding space of a plan that names no space.
    """
    if plan.upto is not None:
        run = replace(run, hi=plan.upto, target=max(run.hi, run.target))
    send(connection, "SET LOCAL plan_cache_mode = force_generic_plan", None)  # planning takes longer than it saves
    if run.job == PREPARE:  # after a crash of the server the run is repeated: no need to wait for the disk
        send(connection, "SET LOCAL synchronous_commit = off", None)
    fenced, passed = leases.ask_fence(connection, run), leases.ask_pass_window(connection, run, plan.newest)
    named = plan.space or space
    number = space_number(connection, *named)
    after = fenced()
    passed()
    counts = apply_decisions(
        connection,
        run.scope,
        plan.decisions,
        run=run.run,
        pack=run.pack,
        after=after,
        vectors=plan.fact_vectors,
        space=number,
        names=plan.name_vectors,
    )
    _prepare(connection, run.scope, number, plan.episode_vectors)
    for effect in plan.effects:
        write(effect, connection, run)
    if run.job == PREPARE:
        again = plan.episode_vectors if run.only else ()
        packing.pack(connection, run.scope, (number, named[1]), upto=run.hi, late_positions=again)
    summary = {"episodes": plan.episodes, **counts, **plan.counts}
    leases.finish(connection, run, "ok", counts=json.dumps(summary))
    return counts


def _prepare(connection: Connection, scope: uuid.UUID, space: int, vectors: Mapping[int, Vectors]) -> None:
    if vectors:
        send(
            connection,
            sql("runs/embed"),
            {"scope": scope, "space": space, "positions": list(vectors), "vectors": list(vectors.values())},
        )


def upcoming(
    connection: Connection, run: Run, *, largest: int, most: int
) -> list[tuple[str, uuid.UUID, str, int, int]]:
    """Return the next windows to consolidate after *run*: tenant, scope, pack, first and last position of each.

    The result is a guess, and assumes a single worker: a window may end elsewhere when it is claimed. Short windows are
    left out.
    """
    send(connection, "SET LOCAL plan_cache_mode = force_generic_plan", None)  # a claim sets this too
    asked = {name: getattr(run, name) for name in ("tenant", "scope", "pack", "hi", "target")}
    limits = {"largest": largest, "least": LEAST_AHEAD, "most": most}
    same = {"job": CONSOLIDATE, "same": run.job == CONSOLIDATE}
    return [tuple(row) for row in execute(connection, "runs/upcoming", **asked, **limits, **same)]


def upcoming_of_scope(
    connection: Connection, scope: uuid.UUID, *, largest: int
) -> Callable[[], list[tuple[Place, int, int]]]:
    """Ask, with the role `app`, for the windows of *scope* that are due for consolidation; see `upcoming`.

    Returns a function that waits for the windows. For each window, it returns the place (scope, pack, first position),
    the first and the last position.
    """
    asked = {"scope": scope, "largest": largest, "least": LEAST_AHEAD, "job": CONSOLIDATE}
    rows = ask(connection, sql("runs/upcoming_of_scope"), asked)
    return lambda: [((row.scope, row.pack, row.lo), row.lo, row.hi) for row in rows()]
