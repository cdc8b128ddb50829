"""The beliefs of a scope folded again without the claims of an undo; in one transaction with all that follows."""

import json
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.fold import Decision
from slowwave.core.graph.ends import names_of
from slowwave.core.late import Refolded, Undoing, fold_without
from slowwave.core.predicates import Predicates
from slowwave.core.preferences import is_preference
from slowwave.domain.job_table import DETECT_PATTERNS, RECONSIDER, UNDO, pack_of
from slowwave.domain.scope import Scope
from slowwave.ports import Embedder, Vectors
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.claims import leases
from slowwave.store.dead_letters import dead_letters
from slowwave.store.late.past import history, undone_in
from slowwave.store.spaces import space_number
from slowwave.store.standing import standing
from slowwave.store.statements import sql
from slowwave.store.undo.orders import Order
from slowwave.store.undo.targets import left_out

PACK = pack_of(UNDO)


def refolded(
    connection: Connection, scope: uuid.UUID, order: Order, claims: Mapping[uuid.UUID, datetime], registry: Predicates
) -> Refolded:
    """Return what *order*, which is about *claims*, changes in a scope; writes nothing."""
    past = history(connection, scope, PACK, min(claims.values()))
    past = replace(past, before=replace(past.before, predicates=registry))
    if order.withdraws is None:
        return fold_without(past, Undoing(order.id, order.words, out=claims.keys()))
    back = claims.keys() - undone_in(connection, scope, but=order.withdraws)
    return fold_without(past, Undoing(order.id, order.words, back=back))


def carry_out(
    connection: Connection, scope: Scope, order: Order, embedder: Embedder, registry: Predicates, *, owner: str
) -> None:
    """Carry out *order* in *scope*: deltas, closed reviews, standing, promotions, audit row and a run of its own.

    A repeat changes nothing. Raises `Conflict` while a worker holds the scope.
    """
    after = leases.take_by_hand(connection, scope)
    if _is_done(connection, scope.id, order.id):
        return
    claims = left_out(connection, scope.id, order.withdraws or order.id)
    found = refolded(connection, scope.id, order, claims, registry)
    new = [decision for decision in found.decisions if decision.kind in ("add", "update")]
    names = names_of((decision.opens[0] for decision in new), registry)
    vectors = embedder.embed([*(decision.opens[0].text for decision in new), *names])
    counts: Counter[str] = Counter(decision.kind for decision in found.decisions)
    counts["unsure"] = len(found.unsure)
    run = _run(connection, scope.id, owner, {name: count for name, count in counts.items() if count})
    _carry(connection, scope.id, found)
    apply_decisions(
        connection,
        scope.id,
        found.decisions,
        run=run,
        pack=PACK,
        after=after,
        vectors=_named(new, vectors),
        space=space_number(connection, embedder.space, embedder.dimensions),
        names={name: vector for name, vector in zip(names, vectors[len(new) :], strict=True) if vector.any()},
    )
    dead_letters.settle(connection, scope.id, found.settled)
    _ask(connection, scope, found.decisions)
    audit.log_write(
        connection, "update", "semantic", scope=scope.id, run=run, affected=list(claims),
        detail={"undo": order.id, "what": order.what, "by": order.by, "reason": order.reason},
    )  # fmt: skip
    connection.exec_driver_sql(
        sql("undo/done"), {"scope": scope.id, "undo": order.id, "run": run, "withdraws": order.withdraws}
    )


def _is_done(connection: Connection, scope: uuid.UUID, undo: uuid.UUID) -> bool:
    """Return whether an order was carried out in a scope. Served by undos_pkey."""
    return bool(
        connection.exec_driver_sql(
            "SELECT applied IS NOT NULL FROM undos WHERE scope = %(scope)s AND undo = %(undo)s",
            {"scope": scope, "undo": undo},
        ).scalar_one()
    )


def _run(connection: Connection, scope: uuid.UUID, owner: str, counts: Mapping[str, int]) -> int:
    run: int = connection.exec_driver_sql(
        sql("undo/run"), {"scope": scope, "job": UNDO, "pack": PACK, "owner": owner, "counts": json.dumps(counts)}
    ).scalar_one()
    return run


def _named(new: Sequence[Decision], vectors: Vectors) -> dict[uuid.UUID, Vectors]:
    return {one.id: vector for one, vector in zip(new, vectors, strict=False) if vector.any()}


@dataclass(frozen=True, slots=True)
class _Moved:
    old: uuid.UUID
    new: uuid.UUID


def _carry(connection: Connection, scope: uuid.UUID, found: Refolded) -> None:
    """Give a fact that is opened again under a new id the standing and the promotions of the fact before it."""
    still = {version.fact for version in found.after}
    before = {version.fact for version in found.before} - still
    roots = {one.id: one.again for one in found.decisions if one.again and one.kind in ("add", "update")}
    moved = [
        _Moved(old, new)
        for new, root in roots.items()
        for old in sorted(before)
        if new in still and root in (old, found.roots.get(old))
    ]
    if not moved:
        return
    held = standing.lock(connection, [(scope, one.old) for one in moved])
    standing.create(connection, {(scope, one.new): held[scope, one.old] for one in moved if (scope, one.old) in held})
    connection.exec_driver_sql(
        sql("undo/carry"), {"scope": scope, "old": [one.old for one in moved], "new": [one.new for one in moved]}
    )


def _ask(connection: Connection, scope: Scope, decisions: Sequence[Decision]) -> None:
    """Ask for the jobs that follow from changed beliefs, at once."""
    jobs = [RECONSIDER] if any(decision.kind in ("add", "update") for decision in decisions) else []
    jobs += [DETECT_PATTERNS] if any(is_preference(decision.key[1]) for decision in decisions) else []
    for job in jobs:
        connection.exec_driver_sql(
            sql("runs/ask"),
            {"scope": scope.id, "tenant": scope.tenant, "job": job, "pack": pack_of(job), "target": 0, "at_once": True},
        )
