"""The steps of an undo: store the order to undo, then carry it out scope by scope.

Also the correction of a wrong fact.
"""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from slowwave.domain.job_table import DETECT_PATTERNS, GROW, PROMOTE, RECONSIDER
from slowwave.domain.scope import Scope
from slowwave.domain.undo import UNNAMED, Undone, wanted
from slowwave.errors import Conflict, Unavailable
from slowwave.inference.embedders.vectors import embed_before_transaction
from slowwave.memory.due_work import POLL_SECONDS, run_next
from slowwave.memory.queries.lookup import fact_id
from slowwave.ports import Embedder
from slowwave.runtime import clock
from slowwave.store.undo import orders
from slowwave.store.undo import orders as outcome
from slowwave.store.undo.correcting import right_claim, state_right, wrong_fact
from slowwave.store.undo.orders import Order
from slowwave.store.undo.refolding import carry_out, embedded, read, refolded
from slowwave.store.undo.targets import Target, target_of
from slowwave.wiring import Parts, owner_name

FOLLOWING = (RECONSIDER, DETECT_PATTERNS, GROW, PROMOTE)
"""The jobs that depend on changed beliefs. An undo runs the jobs of this list that are due."""


def undo(
    parts: Parts, tenant: str, what: int | uuid.UUID | str | None, *, since: datetime | None, by: str | None,
    reason: str, preview: bool, timeout: float, scope: Scope | None = None,
) -> Undone:  # fmt: skip
    """Undo *what* was decided in a tenant, or in one *scope*; return the changes. See `Memory.undo`."""
    meant, scopes = wanted(what, since), None if scope is None else [scope.id]
    return ordered(
        parts, tenant, lambda connection: target_of(connection, meant, scopes), by=by, reason=reason, preview=preview,
        timeout=timeout,
    )  # fmt: skip


def ordered(
    parts: Parts, tenant: str, find: Callable[[Any], Target], *, by: str | None, reason: str, preview: bool,
    timeout: float,
) -> Undone:  # fmt: skip
    """Undo the target that *find* returns, or preview the undo; return the changes. *find* takes a connection."""
    whom = by or UNNAMED
    if preview:
        return _previewed(parts, tenant, find, by=whom, reason=reason)
    end = clock.monotonic() + timeout
    finish_interrupted(parts, tenant, end)
    with parts.database.tenant(tenant) as connection:
        order = orders.place_order(connection, find(connection), by=whom, reason=reason)
    _carry_out(parts, tenant, order, end)
    with parts.database.tenant(tenant) as connection:
        done = outcome.outcome(connection, orders.order_of(connection, order))
    follow(parts, done.scopes)
    return done


def finish_interrupted(parts: Parts, tenant: str, end: float) -> None:
    """Carry out the interrupted orders of a tenant, oldest first. Wait for workers at most until the time *end*."""
    with parts.database.tenant(tenant) as connection:
        interrupted = orders.unfinished(connection)
    for each in interrupted:
        _carry_out(parts, tenant, each, end)


def undos(parts: Parts, tenant: str, scope: Scope | None, limit: int) -> list[Undone]:
    """Return the latest undos of a tenant or one *scope*, newest first."""
    with parts.database.tenant(tenant) as connection:
        found = orders.latest(connection, None if scope is None else scope.id, most=limit)
        return [outcome.outcome(connection, orders.order_of(connection, each)) for each in found]


def _previewed(parts: Parts, tenant: str, find: Callable[[Any], Target], *, by: str, reason: str) -> Undone:
    with parts.database.long(tenant, frozen=True) as connection:
        target = find(connection)
        order, claims = Order(uuid.uuid4(), target.words, by, reason, withdraws=target.withdraws), target.every
        history = {
            scope: read(connection, scope, order, target.claims.get(scope, {}), target.back.get(scope, {}))
            for scope in claims
        }
    found = {scope: refolded(seen, order, parts.registry) for scope, seen in history.items()}
    with parts.database.tenant(tenant) as connection:
        return outcome.undo_outcome(
            connection, order, claims, {scope: (each.before, each.after) for scope, each in found.items()},
            {scope.id: scope for scope in parts.records.scopes(tenant) if scope.id in found},
            unsure=sum(len(each.unsure) for each in found.values()), preview=True,
        )  # fmt: skip


def _carry_out(parts: Parts, tenant: str, undo: uuid.UUID, end: float) -> None:
    """Carry out an order in each scope where it is still pending, in one transaction per scope."""
    with parts.database.tenant(tenant) as connection:
        order, left = orders.order_of(connection, undo), set(orders.pending(connection, undo))
    scopes = [scope for scope in parts.records.scopes(tenant) if scope.id in left] if left else []
    for scope in scopes:
        while not _carried_out(parts, scope, order):
            if clock.monotonic() >= end:
                raise Unavailable(
                    f"{order.what} cannot be undone yet: a worker still holds {scope.key}",
                    hint="repeat the same undo to finish it; `slowwave status` shows the worker",
                )
            time.sleep(POLL_SECONDS)


def _carried_out(parts: Parts, scope: Scope, order: Order) -> bool:
    """Carry out an order in one scope. Return False if a worker holds the scope, or changed its beliefs meanwhile.

    The slow steps (the computation of facts and vectors) run between two transactions.
    """
    with parts.database.long(scope.tenant, frozen=True) as connection:
        seen = read(connection, scope.id, order, *orders.claims_of(connection, order, scope.id))
    found = refolded(seen, order, parts.registry)
    vectors = embedded(found, parts.embedder_for(scope), parts.registry)
    try:
        with parts.database.long(scope.tenant) as connection:
            carry_out(connection, scope, order, seen, found, vectors, owner=owner_name("undo"))
    except Conflict:
        return False
    return True


def follow(parts: Parts, scopes: Sequence[Scope]) -> None:
    """Run each job in `FOLLOWING` once in *scopes*, if it is due and no worker has claimed it."""
    for scope in dict.fromkeys(_with_global(scopes)):
        for job in FOLLOWING:
            run_next(parts, owner=owner_name("undo"), scope=scope.id, only=[job])


def _with_global(scopes: Iterable[Scope]) -> Iterable[Scope]:
    for scope in scopes:
        yield scope
        yield replace(scope, channel=Scope(scope.tenant, scope.user, scope.agent).channel)


def correct(
    parts: Parts, scope: Scope, fact: uuid.UUID | str, object_: str | None, *, by: str | None, reason: str,
    preview: bool, timeout: float,
) -> Undone:  # fmt: skip
    """Undo a fact; if *object_* is given, add the right fact. Returns the changes. See `MemoryScope.correct`."""
    id_ = fact_id(parts, fact, scope.tenant)
    with parts.database.tenant(scope.tenant) as connection:
        claim = None if object_ is None else right_claim(connection, scope, id_, object_)
    done = ordered(
        parts, scope.tenant, lambda connection: wrong_fact(connection, scope, id_), by=by, reason=reason,
        preview=preview, timeout=timeout,
    )  # fmt: skip
    if claim is None or preview or done.id is None:
        return done

    def state(embedder: Embedder) -> uuid.UUID | None:
        with parts.database.tenant(scope.tenant) as connection:
            return state_right(connection, scope, claim, done, embedder)

    return replace(done, corrected=embed_before_transaction(parts.embedder_for(scope), state))
