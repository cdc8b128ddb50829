"""Accesses, feedback and pins of memories, and the tier moves that result."""

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.feedback import HELPED, UNKNOWN, averaged, surprise_of
from slowwave.core.tiers import LAST_ACCESSES
from slowwave.domain.fact import Fact
from slowwave.domain.queries.memory import Readable, type_of
from slowwave.domain.recollection import Recollection
from slowwave.domain.standing import Standing
from slowwave.errors import NotFound
from slowwave.store import transaction
from slowwave.store.audit import log as audit
from slowwave.store.database import Database
from slowwave.store.memory_state import capacity, entities, standing
from slowwave.store.memory_state.standing import Key, standings
from slowwave.store.transaction import policy_of
from slowwave.store.write_behind import WriteBehind, tenant_by_tenant

AT_ONCE = 2_000
"""The maximum number of accesses per transaction, so that other writers of these memories do not wait long."""


@dataclass(frozen=True, slots=True)
class Returned:
    """A returned memory of *tenant*, with the state that the memory gets if it has no stored state yet."""

    tenant: str
    scope: uuid.UUID
    memory: uuid.UUID
    kind: str
    base: float
    made: datetime

    @property
    def key(self) -> Key:
        """The scope and the id of the memory."""
        return self.scope, self.memory


def returned(tenant: str, found: Iterable[Readable]) -> list[Returned]:
    """Return the accesses to count for the memories in *found*."""
    return [Returned(tenant, one.scope.id, one.id, type_of(one), *_base(one)) for one in found if one.scope is not None]


def _base(one: Readable) -> tuple[float, datetime]:
    """Return the initial certainty of a memory, and the time at which the memory began."""
    if isinstance(one, Fact):
        return one.confidence, one.valid_from
    sure = one.confidence if isinstance(one, Recollection) else None
    return UNKNOWN if sure is None else sure, one.occurred


class Accesses:
    """Counts accesses in the background, and moves memories to higher tiers because of accesses."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._queue: WriteBehind[Returned] = WriteBehind(self._write, name="accesses")

    def add(self, tenant: str, found: Iterable[Readable]) -> None:
        """Count one access of each memory in *found*. The method returns at once."""
        self._queue.add(returned(tenant, found))

    def add_all(self, found: Iterable[Returned]) -> None:
        """Count one access of each of *found*. The method returns at once."""
        self._queue.add(list(found))

    def flush(self) -> None:
        """Write the accesses counted before this call. If the method raises `Unavailable`, the accesses stay queued."""
        self._queue.flush()

    def close(self) -> None:
        """Write the remaining accesses, if the database accepts them."""
        self._queue.close()

    def _write(self, batch: list[Returned]) -> None:
        while batch:
            part, batch[:] = batch[:AT_ONCE], batch[AT_ONCE:]
            try:
                tenant_by_tenant(part, lambda one: one.tenant, self._count)
            finally:
                batch += part  # empty, unless the write failed

    def _count(self, tenant: str, found: list[Returned]) -> None:
        with self._database.at(tenant).tenant(tenant) as connection:
            count(connection, found)


def count(connection: Connection, found: Sequence[Returned]) -> None:
    """Count one access for each of *found*, and move memories to higher tiers if their accesses suffice."""
    now, times = transaction.now(connection), Counter(one.key for one in found)
    spoken_of = entities.about(connection, {one.key for one in found if one.kind == "semantic"})
    standing.lock(connection, [*times, *spoken_of])  # in one statement, like every transaction that locks several rows
    states = _locked_states(connection, found, now)

    used = {
        key: replace(
            one,
            access_count=one.access_count + times[key],
            accesses=(*one.accesses, *[now] * times[key])[-LAST_ACCESSES:],
            last_access=now,
            evidence=now,
        )
        for key, one in states.items()
    }

    _write(connection, used, now, accessed=True)
    entities.touch(connection, spoken_of)


def feedback(connection: Connection, one: Returned, *, useful: float, predicted: float) -> Standing:
    """Update a memory's surprise from real usefulness (*useful*) and *predicted* usefulness; return its state.

    The surprise is the average difference between the two.
    """
    now = transaction.now(connection)
    state = _one(connection, one, now)
    learned = replace(
        state,
        surprise=averaged(state.surprise, surprise_of(useful, predicted)),
        successes=state.successes + (useful > HELPED),
        evidence=now,
    )
    fields = {"useful": useful, "predicted": predicted}
    audit.log_write(connection, "update", one.kind, scope=one.scope, affected=[one.memory], detail=fields)
    return _write(connection, {one.key: learned}, now)[one.key]


def pin(connection: Connection, one: Returned, *, pinned: bool) -> None:
    """Pin a memory, so that the memory does not fade, move or get evicted. If *pinned* is false, unpin the memory."""
    now = transaction.now(connection)
    state = _one(connection, one, now)
    standing.write(connection, {one.key: replace(state, pinned=pinned)}, now=now, looked=not pinned)
    audit.log_write(connection, "update", one.kind, scope=one.scope, affected=[one.memory], detail={"pinned": pinned})


def of(connection: Connection, scope: uuid.UUID, memory: uuid.UUID) -> Standing:
    """Return the state of a memory, with the present strength. Raises `NotFound` if no state is stored."""
    states = standings(connection, [(scope, memory)])
    if not states:
        raise NotFound(
            f"the memory {memory} has no standing", hint="a memory gets a standing when it is first returned"
        )
    return states[memory]


def _one(connection: Connection, one: Returned, now: datetime) -> Standing:
    """Lock and return the state of *one*. Raises `NotFound` if the memory was removed, or belongs to another tenant."""
    states = _locked_states(connection, [one], now)
    if one.key not in states:
        raise NotFound("there is no such memory here, or it is gone", hint="name the tenant it was recalled for")
    return states[one.key]


def _locked_states(connection: Connection, found: Sequence[Returned], now: datetime) -> dict[Key, Standing]:
    """Lock and return the states of *found*. An episode that was never returned starts on the entry tier.

    A fact gets a state when it is learned, so a fact without a state was withdrawn. Served by scope_heads_pkey.
    """
    entry = policy_of(connection).tiers.entry
    states = standing.lock(connection, [one.key for one in found])
    fresh = [one for one in found if one.key not in states and one.kind != "semantic"]
    if not fresh:
        return states
    own = connection.exec_driver_sql(
        "SELECT scope FROM scope_heads WHERE scope = ANY(%(scopes)s::uuid[])", {"scopes": [one.scope for one in fresh]}
    )
    scopes = set(own.scalars())
    new = {
        one.key: Standing(one.kind, "stated", entry, one.base, min(one.made, now))
        for one in fresh
        if one.scope in scopes
    }
    standing.create(connection, new)
    return states | standing.lock(connection, new)


def _write(
    connection: Connection, memories: Mapping[Key, Standing], now: datetime, *, accessed: bool = False
) -> dict[Key, Standing]:
    after, steps = standing.evaluate(memories, policy_of(connection), now)
    standing.write(connection, after, now=now, steps=steps, accessed=accessed)
    capacity.entered(connection, [(step.scope, step.to_tier) for step in steps], now=now)
    return after
