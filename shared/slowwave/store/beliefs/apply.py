"""The only transaction that changes beliefs.

It writes deltas, versions, sources, vectors, memory states, audit rows.
"""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from slowwave.core.fold import Decision, Version
from slowwave.core.ledger import payload, typed_delta
from slowwave.core.time_spans import BEGINNING, END
from slowwave.domain.delta import MemoryDelta
from slowwave.domain.job_table import PROMOTE, pack_of
from slowwave.domain.limits import canonical_json
from slowwave.errors import Conflict
from slowwave.ports import Vectors
from slowwave.store import advisory_locks, dead_letters
from slowwave.store.audit.reads_and_deltas import log_decisions
from slowwave.store.beliefs import stated_claims
from slowwave.store.beliefs.stated_claims import keep_words
from slowwave.store.direct import ask, send
from slowwave.store.encryption.columns import PLAIN_KEYS
from slowwave.store.encryption.tenant_keys import cipher_of, encrypted, encrypted_json
from slowwave.store.fingerprints import Fingerprinter, fingerprinter
from slowwave.store.graph import projection, rebuild
from slowwave.store.memory_state import delta_effects, entities, tree_removal
from slowwave.store.statements import execute, sql


def _queue_confirmed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Queue facts that *decisions* added or confirmed, for a check by the promotion job; skip facts of `_global`."""
    facts = {d.about if d.kind == "noop" else d.id for d in decisions if d.kind in ("add", "update", "noop")} - {None}
    if facts:
        send(connection, sql("memory_state/queue_promotions"), {"scope": scope, "facts": list(facts)})


def _sources_closed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Queue the promotions whose source facts *decisions* ended, for a check by the promotion job.

    The check is due at once, or when the remaining valid time of the source fact ends.
    """
    facts = {version.fact for decision in decisions for version in decision.closes}
    if facts:
        send(
            connection,
            sql("memory_state/queue_revocations"),
            {"scope": scope, "facts": list(facts), "pack": pack_of(PROMOTE)},
        )


@dataclass(slots=True)
class Opened:
    """A version that this run opened, with the time at which the run closed the version again, if it did."""

    version: Version
    opened: datetime
    closed: datetime | None = None


@dataclass(slots=True)
class Rewrites:
    """The versions of facts that decisions of a run end (*closed*) and add (*opened*), with their recorded times."""

    closed: dict[int, datetime] = field(default_factory=dict)
    opened: list[Opened] = field(default_factory=list)
    fresh: dict[Version, Opened] = field(default_factory=dict)

    def take(self, decision: Decision, at: datetime) -> None:
        """Add the versions that *decision* closes and opens *at* a recorded time."""
        for version in decision.closes:
            if version.row is not None:
                self.closed[version.row] = at
            else:
                self.fresh.pop(version).closed = at
        for version in decision.opens:
            entry = Opened(version, at)
            self.opened.append(entry)
            self.fresh[version] = entry


def close(connection: Connection, scope: uuid.UUID, rewrites: Rewrites) -> Callable[[], None]:
    """Close the versions in `rewrites.closed`; return a function that raises `Conflict` if one was already closed."""
    if not rewrites.closed:
        return lambda: None
    rows = ask(
        connection,
        sql("beliefs/apply_close"),
        {"scope": scope, "versions": list(rewrites.closed), "at": list(rewrites.closed.values())},
    )

    def check() -> None:
        if rows().rowcount != len(rewrites.closed):
            raise Conflict("a fact to be replaced was replaced by another run meanwhile", hint="read again and decide")

    return check


_MICROSECOND = timedelta(microseconds=1)


def apply_decisions(
    connection: Connection,
    scope: uuid.UUID,
    decisions: Sequence[Decision],
    *,
    run: int | None,
    pack: str,
    after: datetime,
    vectors: Mapping[uuid.UUID, Vectors],
    space: int,
    names: Mapping[str, Vectors] | None = None,
) -> Counter[str]:
    """Write *decisions* in order, each as a validated delta; return the number of deltas by kind.

    Recorded times come from the database clock. They are later than *after*, and one microsecond apart. Therefore the
    same decisions give the same versions, however the decisions were split into runs. *vectors* has the vectors of new
    facts. *names* has the vectors of the names in new facts. *space* is the embedding space of all vectors. The caller
    has locked the scope's lease row. Raises `Incorrect` for a decision that makes no valid delta.
    """
    counts: Counter[str] = Counter(decision.kind for decision in decisions)
    moments = list(zip(decisions, _times(connection, scope, after, len(decisions)), strict=True))
    _review(connection, scope, pack, [(one, at) for one, at in moments if one.kind == "review"])
    ledger = [decision for decision in decisions if decision.kind != "review"]
    times = [at for decision, at in moments if decision.kind != "review"]
    if ledger:
        again = projection.confirmed_again(connection, scope, ledger)
        states = delta_effects.lock(connection, scope, ledger, again)
        projection.lock(connection, scope, ledger, again)
        prints = fingerprinter(connection)
        rewrites = Rewrites()
        for decision, at in zip(ledger, times, strict=True):
            rewrites.take(decision, at)
        numbered = _numbers(connection, scope, prints, ledger, rewrites)
        deltas = [typed_delta(decision, at) for decision, at in zip(ledger, times, strict=True)]
        payloads = [canonical_json(payload_of(decision, decision.pack or pack)) for decision in ledger]
        numbers = numbered()
        _append(connection, scope, run, pack, ledger, deltas, payloads, numbers, prints)
        closed = close(connection, scope, rewrites)
        _open(connection, scope, rewrites, numbers, prints)
        _sources_closed(connection, scope, ledger)
        tree_removal.remove_for_decisions(connection, scope, ledger)
        _remember(connection, scope, ledger, vectors, space)
        entities.mentioned(connection, scope, ledger)
        projection.store_names(connection, scope, names or {}, space)
        delta_effects.new(connection, scope, ledger, now=times[0])
        confirmed = delta_effects.confirmed(connection, scope, ledger, states, now=times[0])
        closed()
        if not projection.project(connection, scope, ledger, run=run, at=times[-1], confirmed=confirmed, again=again):
            rebuild.make(connection, scope, run=run, at=times[-1])
        _queue_confirmed(connection, scope, ledger)
    log_decisions(connection, scope, decisions, run=run, pack=pack)
    return counts


def _times(connection: Connection, scope: uuid.UUID, after: datetime, count: int) -> list[datetime]:
    if not count:
        return []
    last: datetime = execute(
        connection,
        "beliefs/set_recorded",
        scope=scope,
        first=after + _MICROSECOND,
        more=(count - 1) * _MICROSECOND,
        lock=advisory_locks.RECORDING,
    ).scalar_one()
    return [last - number * _MICROSECOND for number in reversed(range(count))]


def _numbers(
    connection: Connection, scope: uuid.UUID, prints: Fingerprinter, decisions: Sequence[Decision], rewrites: Rewrites
) -> Callable[[], dict[bytes, int]]:
    """Send the statement for the numbers of the beliefs; return the function that waits for these numbers."""
    keys = {entry.version.key for entry in rewrites.opened} | {d.key for d in decisions if d.kind != "noop"}
    if not keys:
        return dict
    rows = ask(
        connection, sql("beliefs/apply_beliefs"), {"scope": scope, "digests": [prints.belief(key) for key in keys]}
    )
    return lambda: {bytes(digest): belief for digest, belief in rows()}


def _append(
    connection: Connection,
    scope: uuid.UUID,
    run: int | None,
    pack: str,
    decisions: Sequence[Decision],
    deltas: Sequence[MemoryDelta],
    payloads: Sequence[bytes],
    numbers: dict[bytes, int],
    prints: Fingerprinter,
) -> None:
    has_late_arrivals = any(decision.again or decision.place for decision in decisions)
    sources = [
        (decision.id, ordinal, source)
        for decision in decisions
        for ordinal, source in enumerate((decision.claim.source, *decision.claim.more_sources))
    ]
    origins = [
        (decision.id, ordinal, origin)
        for decision in decisions
        for ordinal, origin in enumerate(decision.claim.origins)
    ]
    send(
        connection,
        sql("beliefs/apply_deltas"),
        {
            "scope": scope,
            "run": run,
            "packs": [d.pack or pack for d in decisions],
            "ids": [d.id for d in decisions],
            "rules": [delta.rule_id for delta in deltas],
            "kinds": [delta.kind for delta in deltas],
            "modes": [d.claim.mode for d in decisions],
            "positions": [d.claim.source.own_position for d in decisions],
            "beliefs": [numbers.get(prints.belief(d.key)) for d in decisions],
            "facts": [d.id if d.kind in ("add", "update") else d.about for d in decisions],
            "replaces": ["{" + ",".join(getattr(delta, "replaces", ())) + "}" for delta in deltas],
            "ranged": [d.valid is not None for d in decisions],
            "valid_from": [delta.valid_from for delta in deltas],
            "valid_to": [delta.valid_to for delta in deltas],
            "confidences": [delta.confidence for delta in deltas],
            "recorded": [delta.promotion_ts for delta in deltas],
            "fingerprints": [d.fingerprint for d in decisions],
            "payloads": encrypted_json(connection, [payload.decode() for payload in payloads], PLAIN_KEYS),
            "payload_digests": [prints.payload(payload) for payload in payloads],
            "again": [decision.again for decision in decisions] if has_late_arrivals else [],
            "places": [decision.place for decision in decisions] if has_late_arrivals else [],
            "source_deltas": [delta for delta, _, _ in sources],
            "source_ordinals": [ordinal for _, ordinal, _ in sources],
            "source_episodes": [source.episode for _, _, source in sources],
            "source_keys": [source.key for _, _, source in sources],
            "source_positions": [source.position for _, _, source in sources],
            "source_starts": [source.start for _, _, source in sources],
            "source_ends": [source.end for _, _, source in sources],
            "source_origins": [source.scope for _, _, source in sources],
            "origin_deltas": [delta for delta, _, _ in origins],
            "origin_ordinals": [ordinal for _, ordinal, _ in origins],
            "origin_relations": [origin.relation for _, _, origin in origins],
            "origin_scopes": [origin.scope for _, _, origin in origins],
            "origin_memories": [origin.memory for _, _, origin in origins],
        },
    )


def payload_of(decision: Decision, pack: str) -> dict[str, Any]:
    """Return the payload that is stored for a decision: the fact, the reason, and the claim as it was stated."""
    claim = decision.claim
    return {
        **payload(decision),
        "certainty": claim.certainty,
        "session": claim.session,
        "reason": decision.reason,
        **stated_claims.claim_fields(decision, pack),
    }


def _open(
    connection: Connection, scope: uuid.UUID, rewrites: Rewrites, numbers: dict[bytes, int], prints: Fingerprinter
) -> None:
    if not rewrites.opened:
        return
    opened = [(entry.version, entry.opened, entry.closed) for entry in rewrites.opened]
    send(
        connection,
        sql("beliefs/apply_open"),
        {
            "scope": scope,
            "facts": [v.fact for v, _, _ in opened],
            "beliefs": [numbers[prints.belief(v.key)] for v, _, _ in opened],
            "subjects": [v.subject for v, _, _ in opened],
            "predicates": [v.predicate for v, _, _ in opened],
            "objects": encrypted(connection, [v.object for v, _, _ in opened], same=True),
            "single": [v.key[2] is None for v, _, _ in opened],
            "valid_from": [None if not v.valid or v.valid.start == BEGINNING else v.valid.start for v, _, _ in opened],
            "valid_to": [None if not v.valid or v.valid.end == END else v.valid.end for v, _, _ in opened],
            "opened": [at for _, at, _ in opened],
            "closed": [closed for _, _, closed in opened],
            "confidences": [v.confidence for v, _, _ in opened],
            "rules": [v.rule for v, _, _ in opened],
            "positions": [v.position for v, _, _ in opened],
            "sessions": [v.session for v, _, _ in opened],
            "forms": [v.form for v, _, _ in opened],
            "texts": (texts := [v.text for v, _, _ in opened]),
            "encrypted": encrypted(connection, texts, same=True) if cipher_of(connection) else [],
            "tenses": [v.tense for v, _, _ in opened],
            "ended_by": [v.ended_by for v, _, _ in opened],
        },
    )
    keep_words(connection, scope, [(numbers[prints.belief(v.key)], v) for v, _, _ in opened], prints)


def _remember(
    connection: Connection,
    scope: uuid.UUID,
    decisions: Sequence[Decision],
    vectors: Mapping[uuid.UUID, Vectors],
    space: int,
) -> None:
    """Store the vectors of new facts; skip facts without a vector."""
    embedded = {d.id: vectors[d.id] for d in decisions if d.kind in ("add", "update") and d.id in vectors}
    if embedded:
        send(
            connection,
            "INSERT INTO fact_vectors (scope, fact, space, tenant, embedding) "
            "SELECT %(scope)s, fact, %(space)s, slowwave_tenant(), embedding "
            "FROM unnest(%(facts)s::uuid[], %(vectors)b::vector[]) AS new (fact, embedding) ON CONFLICT DO NOTHING",
            {"scope": scope, "space": space, "facts": list(embedded), "vectors": list(embedded.values())},
        )


def _review(
    connection: Connection, scope: uuid.UUID, pack: str, decisions: Sequence[tuple[Decision, datetime]]
) -> None:
    dead_letters.settle(connection, scope, [decision.id for decision, _ in decisions if decision.place])  # asked again
    for decision, at in decisions:
        source, review_pack = decision.claim.source, decision.pack or pack
        item = json.dumps(
            payload_of(decision, review_pack) | stated_claims.review_fields(decision, decision.place or at)
        )
        dead_letters.ask_review(connection, scope, pack=review_pack, source=source, reason=decision.reason, item=item)
