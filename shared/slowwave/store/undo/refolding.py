"""The beliefs of a scope, computed again without the claims of an undo. A replay adds other claims instead."""

import json
import uuid
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import compared_words
from slowwave.core.fold import Decision
from slowwave.core.graph.edges import names_of
from slowwave.core.late_arrivals.history import Past, RecordedClaim
from slowwave.core.late_arrivals.placement import Refolded, Undoing, fold_without
from slowwave.core.patterns import is_preference
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Claim
from slowwave.domain.job_table import DETECT_PATTERNS, PROMOTE, RECONSIDER, UNDO, pack_of
from slowwave.domain.scope import Scope
from slowwave.errors import Conflict, Incorrect
from slowwave.ports import Embedder, Vectors
from slowwave.store import dead_letters
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.late_arrivals import claim_of, history, recorded_claims, undone_in
from slowwave.store.memory_state import standing
from slowwave.store.statements import execute, exists
from slowwave.store.transaction import space_number
from slowwave.store.undo.orders import Order, store_order
from slowwave.store.undo.targets import Places, Target, left_out
from slowwave.store.work_queue import leases

PACK = pack_of(UNDO)


@dataclass(frozen=True, slots=True)
class Read:
    """The history of a scope (*past*), with the claims that an order leaves out (*out*) or restores (*back*).

    *others* are the claims that other undos leave out. *last* is the scope's last recorded time.
    """

    past: Past
    out: Places
    back: Places
    others: frozenset[uuid.UUID]
    last: datetime


def read(
    connection: Connection, scope: uuid.UUID, order: Order, out: Places, back: Places, *,
    fresh: Sequence[RecordedClaim] = (),
) -> Read:  # fmt: skip
    """Return the history of a scope since the first claim that *order* changes.

    *order* leaves out the claims *out*, restores the claims *back*, and a replay adds the claims *fresh*.
    """
    last = last_recorded(connection, scope)
    after_all = last + timedelta(microseconds=1)
    first = min((*out.values(), *back.values(), *(entry.place or after_all for entry in fresh)))
    past = history(connection, scope, PACK, first, [entry.claim for entry in fresh])
    return Read(past, out, back, _others(connection, scope, order), last)


def refolded(
    found: Read, order: Order, registry: Predicates, *, fresh: Sequence[RecordedClaim] = (),
    erased: Collection[bytes] = (),
) -> Refolded:  # fmt: skip
    """Return the changes of beliefs that *order* makes.

    A replay adds the claims *fresh*, except claims of facts whose fingerprints are in *erased*.
    """
    past = replace(found.past, before=replace(found.past.before, predicates=registry))
    back = found.back.keys() - found.others
    return fold_without(
        past, Undoing(order.id, order.words, out=found.out.keys(), back=back, fresh=fresh, erased=erased)
    )


@dataclass(frozen=True, slots=True)
class Embedded:
    """The vectors of new facts, by id, and of the names in new facts.

    *space* and *dimensions* name the embedding space.
    """

    space: str
    dimensions: int
    facts: Mapping[uuid.UUID, Vectors]
    names: Mapping[str, Vectors]


def embedded(found: Refolded, embedder: Embedder, registry: Predicates) -> Embedded:
    """Return the vectors of the new facts in *found*. Call this function outside any transaction."""
    new = [decision for decision in found.decisions if decision.kind in ("add", "update")]
    names = names_of((decision.opens[0] for decision in new), registry)
    vectors = embedder.embed([*(decision.opens[0].text for decision in new), *names])
    facts = {one.id: vector for one, vector in zip(new, vectors, strict=False) if vector.any()}
    named = {name: vector for name, vector in zip(names, vectors[len(new) :], strict=True) if vector.any()}
    return Embedded(embedder.space, embedder.dimensions, facts, named)


def carry_out(
    connection: Connection, scope: Scope, order: Order, seen: Read, found: Refolded, vectors: Embedded, *, owner: str
) -> None:
    """Carry out *order* in *scope* as one run: write the deltas of *found*, and what follows from them.

    These are the outcomes of reviews, memory states, promotions and an audit row.

    Repeating the call changes nothing. Raises `Conflict` while a worker holds the scope, or if the history *seen* has
    changed since.
    """
    after = leases.take_by_hand(connection, scope)
    if _is_done(connection, scope.id, order.id):
        return
    if after != seen.last or _others(connection, scope.id, order) != seen.others:
        raise Conflict("something was decided in the scope meanwhile", hint="read again and decide")
    counts: Counter[str] = Counter(decision.kind for decision in found.decisions)
    counts["unsure"] = len(found.unsure)
    run = _run(connection, scope.id, owner, {name: count for name, count in counts.items() if count})
    _carry(connection, scope, found)
    apply_decisions(
        connection,
        scope.id,
        found.decisions,
        run=run,
        pack=PACK,
        after=after,
        vectors=vectors.facts,
        space=space_number(connection, vectors.space, vectors.dimensions),
        names=vectors.names,
    )
    dead_letters.settle(connection, scope.id, found.settled)
    recounted = execute(connection, "undo/recount", scope=scope.id, claims=[*seen.out, *seen.back]).scalars()
    again = [decision.id for decision in found.decisions if decision.kind in ("add", "update")]
    promoted = execute(connection, "promotion/again_by_hand", scope=scope.id, facts=again).scalars()
    for target in {*recounted, *promoted}:
        _ask_for(connection, target, scope.tenant, PROMOTE)
    _ask(connection, scope, found.decisions)
    audit.log_write(
        connection, "update", "semantic", scope=scope.id, run=run, affected=[*seen.out, *seen.back],
        detail={"undo": order.id, "what": order.what, "by": order.by, "reason": order.reason},
    )  # fmt: skip
    execute(connection, "undo/done", scope=scope.id, undo=order.id, run=run, lifted=order.lifted)


def _others(connection: Connection, scope: uuid.UUID, order: Order) -> frozenset[uuid.UUID]:
    """Return the claims that other undos leave out of a scope."""
    return frozenset(undone_in(connection, scope, but=order.lifted))


def last_recorded(connection: Connection, scope: uuid.UUID) -> datetime:
    """Return the last recorded time of a scope."""
    last: datetime = execute(connection, "undo/last_recorded", scope=scope).scalar_one()
    return last


def _is_done(connection: Connection, scope: uuid.UUID, undo: uuid.UUID) -> bool:
    """Return whether an order was carried out in a scope. Served by undos_pkey."""
    return bool(
        connection.exec_driver_sql(
            "SELECT applied IS NOT NULL FROM undos WHERE scope = %(scope)s AND undo = %(undo)s",
            {"scope": scope, "undo": undo},
        ).scalar_one()
    )


def _run(connection: Connection, scope: uuid.UUID, owner: str, counts: Mapping[str, int]) -> int:
    run: int = execute(
        connection, "undo/run", scope=scope, job=UNDO, pack=PACK, owner=owner, counts=json.dumps(counts)
    ).scalar_one()
    return run


def _carry(connection: Connection, scope: Scope, found: Refolded) -> None:
    """Copy the state of each ended fact to the new fact with the same words, if there is one.

    Promotions and strategies move only if the new fact comes from the same claim. Moved promotions are reviewed at
    once. Other strategies lose the reference to their ended fact.
    """
    still = {version.fact for version in found.after}
    closed = {one.fact: (one.key, compared_words(one)) for one in found.before if one.fact not in still}
    opened = {
        (one.opens[0].key, compared_words(one.opens[0])): one
        for one in reversed(found.decisions)
        if one.kind in ("add", "update") and one.id in still
    }
    moved = {old: opened[content] for old, content in closed.items() if content in opened}
    states = standing.lock(connection, [(scope.id, old) for old in moved])
    standing.create(connection, {(scope.id, moved[old].id): one for (_, old), one in states.items()})
    same = {old: new.id for old, new in moved.items() if new.again == found.roots.get(old, old)}
    targets = execute(
        connection, "undo/carry", scope=scope.id, old=list(closed), new=[same.get(old) for old in closed]
    ).scalars()
    for target in targets:
        _ask_for(connection, target, scope.tenant, PROMOTE)


def _ask(connection: Connection, scope: Scope, decisions: Sequence[Decision]) -> None:
    """Create intents, due at once, for the jobs that follow from changed beliefs."""
    jobs = [RECONSIDER] if any(decision.kind in ("add", "update") for decision in decisions) else []
    jobs += [DETECT_PATTERNS] if any(is_preference(decision.key[1]) for decision in decisions) else []
    for job in jobs:
        _ask_for(connection, scope.id, scope.tenant, job)


def _ask_for(connection: Connection, scope: uuid.UUID, tenant: str, job: str) -> None:
    execute(connection, "runs/ask", scope=scope, tenant=tenant, job=job, pack=pack_of(job), target=0, at_once=True)


@dataclass(frozen=True, slots=True)
class LiftedReplays:
    """Replays of a scope to take back: their *ids*, the claims that they *added*, and the claims that they left out
    (*back*).
    """

    ids: Sequence[uuid.UUID] = ()
    added: Places = field(default_factory=dict)
    back: Places = field(default_factory=dict)


def lifted_replays(connection: Connection, scope: uuid.UUID, ids: Sequence[uuid.UUID]) -> LiftedReplays:
    """Return the claims that the replays *ids* changed in a scope. Raises `Conflict` if one is taken back already.

    Served by undos_pkey and undone_pkey.
    """
    added: dict[uuid.UUID, datetime] = {}
    back: dict[uuid.UUID, datetime] = {}
    for undo in ids:
        claims: Sequence[uuid.UUID] | None = connection.exec_driver_sql(
            "SELECT added FROM undos WHERE scope = %(scope)s AND undo = %(undo)s AND lifted IS NULL",
            {"scope": scope, "undo": undo},
        ).scalar_one_or_none()
        if claims is None:
            raise Conflict("a replay was taken back meanwhile", hint="read again and decide")
        added |= {row.delta: row.place for row in execute(connection, "undo/added", scope=scope, ids=claims)}
        back |= left_out(connection, scope, undo)
    return LiftedReplays(ids, added, {claim: place for claim, place in back.items() if claim not in added})


@dataclass(frozen=True, slots=True)
class PackClaims:
    """The claims of a pack in a scope, up to the last position that the pack has read (*upto*).

    *recorded* are the claims in force. *settled* are the claims that a person undid or decided. *unread* are the
    positions of erased episodes and dead letters. *erased* are the fingerprints of forgotten facts. *number* is the
    number of the next replay in the scope. *last* is the last recorded time.
    """

    upto: int
    recorded: Sequence[RecordedClaim]
    settled: Sequence[Claim]
    unread: frozenset[int]
    erased: frozenset[bytes]
    number: int
    last: datetime


def readers(connection: Connection, pack: str) -> dict[Scope, int | None]:
    """Return the scopes of the tenant in which *pack* has read an episode, in order.

    Each scope has the version of the pack that reads there as a canary, or None.
    """
    rows = execute(connection, "undo/readers", pack=pack)
    return {Scope(*names): canary for *names, canary in rows}


def pack_claims(connection: Connection, scope: Scope, pack: str, *, without: LiftedReplays | None = None) -> PackClaims:
    """Return the recorded claims of *pack* in *scope*; raise `Incorrect` if *pack* has read nothing in *scope*.

    The claims are those that were in force before the replays *without*, if given. The statements read only the rows of
    the scope.
    """
    asked = {"scope": scope.id, "pack": pack}
    row = execute(connection, "undo/replay", **asked).one()
    if not row.upto:
        raise Incorrect(f"the pack {pack!r} has read nothing in {scope.key}", hint="`slowwave status` shows what waits")
    lifted = without or LiftedReplays()
    every = recorded_claims(connection, scope.id, pack)
    undone = undone_in(connection, scope.id, but=lifted.ids) | lifted.added.keys()
    by_a_person = set(row.undone)
    decided = execute(connection, "undo/decided", **asked)
    return PackClaims(
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
    """Store the order of a replay, and carry out the order. Raises `Conflict` like `carry_out`, or for erased
    sources.
    """
    store_order(connection, order, target)
    carry_out(connection, scope, order, seen, found, vectors, owner=owner)
    cited = [source.episode for one in found.decisions for source in (one.claim.source, *one.claim.more_sources)]
    if exists(connection, "FROM episode_keys WHERE id = ANY(%(cited)s::uuid[]) AND erased", cited=cited):
        raise Conflict("words were erased meanwhile", hint="read again and decide")
