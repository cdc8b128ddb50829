"""The outcome of an undo: the beliefs that its runs closed and opened, and the runs that built on undone facts."""

import uuid
from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.late_arrivals.differences import differences
from slowwave.core.time_spans import BEGINNING, END
from slowwave.domain.scope import Scope
from slowwave.domain.undo import Belief, ChangedBelief, LaterRun, State, Undone
from slowwave.store.beliefs import held_facts
from slowwave.store.statements import sql
from slowwave.store.undo.orders import Order, claims_of
from slowwave.store.undo.targets import Claims, Places, facts_of

Sides = tuple[Iterable[Version], Iterable[Version]]
"""The versions of a scope that an undo closes, and those that it opens."""


def outcome(connection: Connection, order: Order) -> Undone:
    """Return the results of an order in the scopes where it was carried out."""
    rows = connection.exec_driver_sql(sql("undo/order_rows"), {"undo": order.id}).all()
    scopes = {row.scope: Scope(row.tenant, row.user_id, row.agent, row.channel) for row in rows}
    claims: dict[uuid.UUID, Places] = {}
    for row in rows:
        out, back = claims_of(connection, order, row.scope)
        claims[row.scope] = {**out, **back}
    runs = {row.scope: row.run for row in rows if row.run is not None}
    sides = {scope: _sides(connection, scope, run) for scope, run in runs.items()}
    done: State = "pending" if len(runs) < len(rows) else "done"
    return told(
        connection, order, claims, sides, scopes,
        runs=sorted(runs.values()), unsure=sum(row.unsure for row in rows),
        state="taken back" if all(row.lifted for row in rows) else done,
    )  # fmt: skip


def told(
    connection: Connection,
    order: Order,
    claims: Claims,
    sides: Mapping[uuid.UUID, Sides],
    scopes: Mapping[uuid.UUID, Scope],
    *,
    runs: Sequence[int] = (),
    unsure: int = 0,
    state: State = "done",
    preview: bool = False,
) -> Undone:
    """Return an undo as the value that callers get."""
    found = {scope: differences(*both) for scope, both in sides.items()}
    return Undone(
        what=order.what,
        by=order.by,
        reason=order.reason,
        withdrawn=tuple(_belief(one, scopes[scope]) for scope, each in found.items() for one in each.withdrawn),
        restored=tuple(_belief(one, scopes[scope]) for scope, each in found.items() for one in each.restored),
        changed=tuple(
            ChangedBelief(_belief(before, scopes[scope]), _belief(after, scopes[scope]))
            for scope, each in found.items()
            for before, after in each.changed
        ),
        built_on=tuple(_later(connection, claims)),
        unsure=unsure,
        scopes=tuple(sorted(scopes.values())),
        runs=tuple(runs),
        id=None if preview else order.id,
        at=order.at,
        preview=preview,
        withdraws=order.withdraws,
        state=state,
    )


def _sides(connection: Connection, scope: uuid.UUID, run: int) -> Sides:
    rows = connection.exec_driver_sql(sql("undo/sides"), {"scope": scope, "run": run}).all()
    return [held_facts.version(row) for row in rows if not row.opened], [
        held_facts.version(row) for row in rows if row.opened
    ]


def _later(connection: Connection, claims: Claims) -> list[LaterRun]:
    facts = facts_of(connection, claims)
    if not facts:
        return []
    rows = connection.exec_driver_sql(
        sql("undo/built_on"),
        {
            "scopes": list(claims),
            "facts": list(facts),
            "since": min(place for each in claims.values() for place in each.values()),
            "out": [delta for each in claims.values() for delta in each],
        },
    )
    return [LaterRun(*row) for row in rows]


def _belief(version: Version, scope: Scope) -> Belief:
    begins, ends = version.valid.start, version.valid.end
    return Belief(
        version.fact, text_of(version), None if begins == BEGINNING else begins, None if ends == END else ends, scope
    )
