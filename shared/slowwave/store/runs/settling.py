"""The transaction that settles a run: its plan, its watermark and its end."""

import json
import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from sqlalchemy import Connection

from slowwave.domain.job_table import PREPARE
from slowwave.domain.run import Run
from slowwave.ports import Plan, Vectors
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.blocks import packing
from slowwave.store.direct import send
from slowwave.store.embedding_spaces import space_number
from slowwave.store.runs import effects
from slowwave.store.statements import sql
from slowwave.store.work_queue import leases


def settled(connection: Connection, run: Run, plan: Plan, *, space: tuple[str, int]) -> Counter[str]:
    """Write *plan* under the fence of *run*, and end the run; return the number of deltas by kind.

    *space* is the embedding space of a plan that names none.
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
        effects.write(effect, connection, run)
    if run.job == PREPARE:
        again = plan.episode_vectors if run.only else ()
        packing.pack(connection, run.scope, (number, named[1]), upto=run.hi, late=again)
    summary = {"episodes": plan.episodes, **counts, **plan.counts}
    leases.finish(connection, run, "ok", counts=json.dumps(summary))
    return counts


def _prepare(connection: Connection, scope: uuid.UUID, space: int, vectors: Mapping[int, Vectors]) -> None:
    if vectors:
        send(
            connection,
            sql("runs/embed"),
            {
                "scope": scope,
                "space": space,
                "positions": list(vectors),
                "vectors": list(vectors.values()),
            },
        )
