"""A replay in the store: reads the recorded claims of a pack in a scope, and replaces them in one transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.late_arrivals import RecordedClaim, Refolded
from slowwave.domain.claim import Claim
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect
from slowwave.store.late_arrivals.earlier_decisions import claim_of, recorded_claims, undone_in
from slowwave.store.statements import sql
from slowwave.store.undo.orders import Order, store_order
from slowwave.store.undo.refolding import Embedded, Read, carry_out, last_recorded
from slowwave.store.undo.targets import Target


@dataclass(frozen=True, slots=True)
class Told:
    """The claims of a pack in a scope up to the last position that it has read, *upto*.

    *recorded* are the claims in force; *settled* those that a person undid or decided. *unread* positions were erased
    or became dead letters. *erased* are the fingerprints of forgotten facts. *number* is the number of the next replay
    in the scope, and *last* the last recorded time.
    """

    upto: int
    recorded: Sequence[RecordedClaim]
    settled: Sequence[Claim]
    unread: frozenset[int]
    erased: frozenset[bytes]
    number: int
    last: datetime


def told(connection: Connection, scope: Scope, pack: str) -> Told:
    """Return the recorded claims of *pack* in *scope*; raise `Incorrect` if it has read nothing there.

    The statements are served by the scope's part of each table.
    """
    asked = {"scope": scope.id, "pack": pack}
    row = connection.exec_driver_sql(sql("undo/replay"), asked).one()
    if not row.upto:
        raise Incorrect(f"the pack {pack!r} has read nothing in {scope.key}", hint="`slowwave status` shows what waits")
    every, undone = recorded_claims(connection, scope.id, pack), undone_in(connection, scope.id)
    by_a_person = set(row.undone)
    decided = connection.exec_driver_sql(sql("undo/decided"), asked)
    return Told(
        row.upto,
        [entry for entry in every if entry.ids.isdisjoint(undone)],
        [*(entry.claim for entry in every if not entry.ids.isdisjoint(by_a_person)), *map(claim_of, decided)],
        frozenset(row.unread),
        frozenset(map(bytes, row.erased)),
        row.number,
        last_recorded(connection, scope.id),
    )


def carry_out_replay(
    connection: Connection, scope: Scope, order: Order, target: Target, seen: Read, found: Refolded, vectors: Embedded,
    *, owner: str,
) -> None:  # fmt: skip
    """Store the order of a replay and carry it out. Raises `Conflict` like `carry_out`, or for erased sources."""
    store_order(connection, order, target)
    carry_out(connection, scope, order, seen, found, vectors, owner=owner)
    cited = [source.episode for one in found.decisions for source in (one.claim.source, *one.claim.more_sources)]
    gone = "SELECT EXISTS (SELECT FROM episode_keys WHERE id = ANY(%(cited)s::uuid[]) AND erased)"
    if connection.exec_driver_sql(gone, {"cited": cited}).scalar_one():
        raise Conflict("words were erased meanwhile", hint="read again and decide")
