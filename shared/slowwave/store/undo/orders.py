"""Orders to undo, which are stored before any belief changes, and the outcomes of orders."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import text_of
from slowwave.core.beliefs.versions import Version
from slowwave.core.late_arrivals.rewriting import differences
from slowwave.core.time_spans import BEGINNING, END
from slowwave.domain.scope import Scope
from slowwave.domain.undo import Belief, ChangedBelief, LaterRun, State, Undone
from slowwave.errors import Incorrect
from slowwave.store.beliefs import affected_facts
from slowwave.store.encryption.tenant_keys import encrypted_text, stored_forms
from slowwave.store.late_arrivals import undone_in
from slowwave.store.statements import execute, exists
from slowwave.store.undo.targets import Claims, Places, Target, facts_of, left_out

Sides = tuple[Iterable[Version], Iterable[Version]]
"""The versions of a scope that an undo closes, and those that it opens."""


@dataclass(frozen=True, slots=True)
class Order:
    """A stored order to undo. *what* names the target, and *by* the person.

    An undo computes the beliefs again without some claims. An undo that *withdraws* another undo restores the claims
    that the other undo left out. An undo that *replays* a pack also adds claims in place of the claims that it leaves
    out. A replay that *lifts* earlier replays of a scope takes them back in the same transaction.
    """

    id: uuid.UUID
    what: str
    by: str
    reason: str
    at: datetime | None = None
    withdraws: uuid.UUID | None = None
    replays: bool = False
    lifts: Sequence[uuid.UUID] = ()

    @property
    def lifted(self) -> list[uuid.UUID]:
        """The ids of the orders that this order takes back."""
        return [*self.lifts, *([] if self.withdraws is None else [self.withdraws])]

    @property
    def words(self) -> str:
        """The reason that is stored in the deltas of the undo."""
        why = f": {self.reason}" if self.reason else ""
        return f"{self.what} was {'asked for' if self.replays else 'undone'} by {self.by}{why}"


def place_order(connection: Connection, target: Target, *, by: str, reason: str) -> uuid.UUID:
    """Store the order to undo *target*; return its id, or the id of an equal order that is unfinished or in force.

    Raises `Incorrect` if all claims of *target* are undone already.
    """
    if (same := _same(connection, target)) is not None:
        return same
    left = {scope: claims.keys() - undone_in(connection, scope) for scope, claims in target.claims.items()}
    if not target.back and not any(left.values()):
        raise Incorrect(
            f"nothing to undo: {target.words} is undone already", hint="`slowwave undo --list` shows every undo"
        )
    order = Order(uuid.uuid4(), target.words, by, reason, withdraws=target.withdraws)
    store_order(connection, order, target)
    return order.id


def store_order(connection: Connection, order: Order, target: Target) -> None:
    """Store an order with the claims that the order leaves out. The order is not carried out yet."""
    added = target.added or {}
    execute(
        connection,
        "undo/order",
        undo=order.id,
        what=encrypted_text(connection, order.what, same=True),
        reason=encrypted_text(connection, order.reason),
        by=order.by,
        withdraws=order.withdraws,
        replays=target.added is not None,
        added_of=[scope for scope, claims in added.items() for _ in claims],
        added=[claim for claims in added.values() for claim in claims],
        scopes=list(target.every),
        of=[scope for scope, claims in target.claims.items() for _ in claims],
        deltas=[delta for claims in target.claims.values() for delta in claims],
        places=[place for claims in target.claims.values() for place in claims.values()],
    )


def _same(connection: Connection, target: Target) -> uuid.UUID | None:
    """Return the id of an undo of the same claims, if it is unfinished or in force; else None."""
    rows = connection.exec_driver_sql(
        "SELECT undo, array_agg(scope) AS scopes, bool_or(applied IS NULL) AS unfinished FROM undos "
        "WHERE what = ANY(%(what)s) AND withdraws IS NOT DISTINCT FROM %(withdraws)s::uuid AND lifted IS NULL "
        "GROUP BY undo ORDER BY max(asked) DESC",
        {"what": stored_forms(connection, target.words), "withdraws": target.withdraws},
    )
    for row in rows:
        if set(row.scopes) == target.every.keys() and (row.unfinished or _covers(connection, row.undo, target)):
            found: uuid.UUID = row.undo
            return found
    return None


def _covers(connection: Connection, undo: uuid.UUID, target: Target) -> bool:
    if target.back:
        return True
    rows = connection.exec_driver_sql("SELECT delta FROM undone WHERE undo = %(undo)s", {"undo": undo}).scalars()
    return {delta for claims in target.claims.values() for delta in claims} <= set(rows)


def is_ordered(connection: Connection, words: str) -> bool:
    """Return whether an undo with the description *words* is in force. Scans the tenant's orders, which are few."""
    what = stored_forms(connection, words)
    return exists(connection, "FROM undos WHERE what = ANY(%(what)s) AND lifted IS NULL", what=what)


def is_stored(connection: Connection, undo: uuid.UUID) -> bool:
    """Return whether an order is stored in any scope. Served by undos_of_order."""
    return exists(connection, "FROM undos WHERE undo = %(undo)s", undo=undo)


def order_of(connection: Connection, undo: uuid.UUID) -> Order:
    """Return a stored order. Served by undos_of_order."""
    row = connection.exec_driver_sql(
        "SELECT o.undo, o.what, o.by_whom, o.reason, o.asked, o.withdraws, "
        "o.added IS NOT NULL AND o.withdraws IS NULL AS replays "
        "FROM undos o WHERE o.undo = %(undo)s ORDER BY o.asked, o.scope LIMIT 1",
        {"undo": undo},
    ).one()
    return Order(*row)


def claims_of(connection: Connection, order: Order, scope: uuid.UUID) -> tuple[Places, Places]:
    """Return the claims of a scope that an order leaves out, and those that it restores, each with its time in the
    ledger.
    """
    back = {} if order.withdraws is None else left_out(connection, scope, order.withdraws)
    return left_out(connection, scope, order.id), back


def pending(connection: Connection, undo: uuid.UUID) -> list[uuid.UUID]:
    """Return the scopes in which an order is still to be carried out, sorted by id. Served by undos_of_order."""
    rows = connection.exec_driver_sql(
        "SELECT scope FROM undos WHERE undo = %(undo)s AND applied IS NULL ORDER BY scope", {"undo": undo}
    )
    return list(rows.scalars())


def unfinished(connection: Connection) -> list[uuid.UUID]:
    """Return the orders of the tenant that were interrupted, oldest first. Served by undos_unfinished."""
    rows = connection.exec_driver_sql("SELECT undo FROM undos WHERE applied IS NULL GROUP BY undo ORDER BY min(asked)")
    return list(rows.scalars())


def latest(connection: Connection, scope: uuid.UUID | None, *, most: int) -> list[uuid.UUID]:
    """Return the latest orders of a scope or of the tenant, newest first. Reads all of these orders, which are few."""
    rows = connection.exec_driver_sql(
        "SELECT undo FROM undos WHERE %(scope)s::uuid IS NULL OR scope = %(scope)s GROUP BY undo "
        "ORDER BY max(asked) DESC, undo LIMIT %(most)s",
        {"scope": scope, "most": most},
    )
    return list(rows.scalars())


def outcome(connection: Connection, order: Order) -> Undone:
    """Return the outcome of an order in the scopes in which the order was carried out."""
    rows = execute(connection, "undo/order_rows", undo=order.id).all()
    scopes = {row.scope: Scope(row.tenant, row.user_id, row.agent, row.channel) for row in rows}
    claims: dict[uuid.UUID, Places] = {}
    for row in rows:
        out, back = claims_of(connection, order, row.scope)
        claims[row.scope] = {**out, **back}
    runs = {row.scope: row.run for row in rows if row.run is not None}
    sides = {scope: _sides(connection, scope, run) for scope, run in runs.items()}
    done: State = "pending" if len(runs) < len(rows) else "done"
    return undo_outcome(
        connection, order, claims, sides, scopes,
        runs=sorted(runs.values()), unsure=sum(row.unsure for row in rows),
        state="taken back" if all(row.lifted for row in rows) else done,
    )  # fmt: skip


def undo_outcome(
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
    """Return the outcome of an undo in the form for callers."""
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
    rows = execute(connection, "undo/sides", scope=scope, run=run).all()
    return [affected_facts.version(row) for row in rows if not row.opened], [
        affected_facts.version(row) for row in rows if row.opened
    ]


def _later(connection: Connection, claims: Claims) -> list[LaterRun]:
    facts = facts_of(connection, claims)
    if not facts:
        return []
    rows = execute(
        connection,
        "undo/built_on",
        scopes=list(claims),
        facts=list(facts),
        since=min(place for each in claims.values() for place in each.values()),
        out=[delta for each in claims.values() for delta in each],
    )
    return [LaterRun(*row) for row in rows]


def _belief(version: Version, scope: Scope) -> Belief:
    begins, ends = version.valid.start, version.valid.end
    return Belief(
        version.fact, text_of(version), None if begins == BEGINNING else begins, None if ends == END else ends, scope
    )
