"""What is held before a run, and the one transaction that changes it: deltas, versions, sources, vectors, audit."""

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection

from slowwave.core.fold import RECENT_POSITIONS, BeliefKey, Decision, Fold, Version, belief_key, normal
from slowwave.core.timeline import BEGINNING, END, Span
from slowwave.domain.claim import Claim
from slowwave.domain.episode import canonical_json
from slowwave.errors import Conflict
from slowwave.ports import Vectors
from slowwave.store.secrets import Fingerprinter, fingerprinter
from slowwave.store.statements import sql

_MICROSECOND = timedelta(microseconds=1)


def held(connection: Connection, scope: uuid.UUID, pack: str, claims: Sequence[Claim]) -> Fold:
    """Return a fold over everything in *scope* that *claims* may touch."""
    prints = fingerprinter(connection)

    def derive(claim: Claim, number: int) -> uuid.UUID:
        name = f"{pack}/{claim.source.episode}/{claim.ordinal}" + (f"/{number}" if number else "")
        return uuid.uuid5(scope, name)

    recent = _broadly(connection, scope, claims)
    about = [*claims, *_spelled_out(claims, recent)]
    fold = Fold(fingerprint=prints.fact, derive=derive)
    keys = {key for claim in about for key in _keys(claim)} | {version.key for version in recent}
    exact = open_versions(connection, scope, [prints.belief(key) for key in keys])
    fold.hold({version.row: version for version in [*recent, *exact]}.values())
    _recall_endings(connection, scope, fold, about)
    _recall_confirmations(connection, scope, fold, claims)
    return fold


def _recall_endings(connection: Connection, scope: uuid.UUID, fold: Fold, claims: Sequence[Claim]) -> None:
    """Tell *fold* what was ended or forgotten of all that *claims* are about."""
    prints = {fold.fingerprint(c.subject, c.predicate, object_) for c in claims for object_ in (c.object, "")}
    rows = connection.exec_driver_sql(
        "SELECT mode, fingerprint, lower(valid) AS at FROM deltas "
        "WHERE scope = %(scope)s AND mode IN ('end', 'forget') AND fingerprint = ANY(%(prints)s::bytea[])",
        {"scope": scope, "prints": sorted(prints)},
    )
    for mode, fingerprint, at in rows:
        if mode == "forget":
            fold.forgotten.add(bytes(fingerprint))
        else:
            fold.ends.setdefault(bytes(fingerprint), []).append(at)


def _recall_confirmations(connection: Connection, scope: uuid.UUID, fold: Fold, claims: Sequence[Claim]) -> None:
    """Tell *fold* when what is held was said again, as far as that lies after what *claims* are about."""
    facts = {version.fact for versions in fold.held.values() for version in versions}
    if not facts:
        return
    rows = connection.exec_driver_sql(
        "SELECT fact, lower(valid) AS at FROM deltas WHERE scope = %(scope)s AND kind = 'noop' "
        "AND fact = ANY(%(facts)s::uuid[]) AND lower(valid) > %(earliest)s",
        {"scope": scope, "facts": list(facts), "earliest": min(claim.valid_from for claim in claims)},
    )
    for fact, at in rows:
        fold.confirmed.setdefault(fact, []).append(at)


def _keys(claim: Claim) -> Iterable[BeliefKey]:
    """What a claim may touch. One that does not assert may mean a belief of either sort."""
    for single in {claim.single_valued} if claim.mode == "assert" else {True, False}:
        yield belief_key(claim.subject, claim.predicate, claim.object, single_valued=single)


def _broadly(connection: Connection, scope: uuid.UUID, claims: Sequence[Claim]) -> list[Version]:
    """The open versions that claims without an object, or without a predicate, may mean."""
    broad = [claim for claim in claims if claim.mode != "assert" and (not claim.object or _points_back(claim))]
    if not broad:
        return []
    rows = connection.exec_driver_sql(
        sql("held_broad"),
        {
            "scope": scope,
            "predicates": sorted({claim.predicate for claim in broad}),
            "recent": min(claim.source.position for claim in broad) - RECENT_POSITIONS,
        },
    )
    return [_version(row) for row in rows.mappings()]


def _points_back(claim: Claim) -> bool:
    return claim.predicate == "*" or claim.mode == "correct"


def _spelled_out(claims: Sequence[Claim], recent: Sequence[Version]) -> Iterable[Claim]:
    """Claims that name no predicate, once for each predicate they may turn out to mean."""
    said = {(normal(claim.subject), claim.predicate) for claim in claims} | {version.key[:2] for version in recent}
    for claim in claims:
        if claim.predicate == "*":
            for subject, predicate in sorted(said):
                if subject == normal(claim.subject) and predicate != "*":
                    yield replace(claim, predicate=predicate)


def open_versions(connection: Connection, scope: uuid.UUID, digests: Sequence[bytes]) -> list[Version]:
    """Return the open versions of these beliefs."""
    rows = connection.exec_driver_sql(sql("held_exact"), {"scope": scope, "digests": list(digests)})
    return [_version(row) for row in rows.mappings()]


def open_of_fact(connection: Connection, scope: uuid.UUID, fact: uuid.UUID | None) -> list[Version]:
    """Return the open versions of one fact of this scope. Served by facts_of_delta."""
    rows = connection.exec_driver_sql(sql("held_fact"), {"scope": scope, "fact": fact})
    return [_version(row) for row in rows.mappings()]


def _version(row: Any) -> Version:
    return Version(
        fact=row["fact"],
        key=belief_key(row["subject"], row["predicate"], row["object"], single_valued=row["single_valued"]),
        subject=row["subject"],
        predicate=row["predicate"],
        object=row["object"],
        valid=Span(row["valid_from"] or BEGINNING, row["valid_to"] or END),
        confidence=row["confidence"],
        position=row["position"],
        session=row["session"],
        rule=row["rule"],
        row=row["version"],
    )


@dataclass(slots=True)
class _Opened:
    """A version this run opened, and when it was closed again, if it was."""

    version: Version
    opened: datetime
    closed: datetime | None = None


@dataclass(slots=True)
class _Rewrites:
    """What the decisions of a run do to the fact table, each at its own recorded time."""

    closed: dict[int, datetime] = field(default_factory=dict)
    opened: list[_Opened] = field(default_factory=list)
    fresh: dict[Version, _Opened] = field(default_factory=dict)

    def take(self, decision: Decision, at: datetime) -> None:
        for version in decision.closes:
            if version.row is not None:
                self.closed[version.row] = at
            else:
                self.fresh.pop(version).closed = at
        for version in decision.opens:
            entry = _Opened(version, at)
            self.opened.append(entry)
            self.fresh[version] = entry


def apply(
    connection: Connection,
    scope: uuid.UUID,
    decisions: Sequence[Decision],
    *,
    run: int | None,
    pack: str,
    after: datetime,
    vectors: Mapping[uuid.UUID, Vectors],
    space: int,
) -> Counter[str]:
    """Write *decisions* in the order they were made; return how many there were of each kind.

    Recorded times are the database's, one microsecond apart, later than *after*, so that the same decisions leave
    the same versions however they were cut into runs. The caller holds the scope's lease row.
    """
    counts: Counter[str] = Counter(decision.kind for decision in decisions)
    _review(connection, scope, pack, [decision for decision in decisions if decision.kind == "review"])
    ledger = [decision for decision in decisions if decision.kind != "review"]
    if ledger:
        prints = fingerprinter(connection)
        times = _times(connection, scope, after, len(ledger))
        rewrites = _Rewrites()
        for decision, at in zip(ledger, times, strict=True):
            rewrites.take(decision, at)
        numbers = _numbers(connection, scope, prints, ledger, rewrites)
        _append(connection, scope, run, pack, ledger, times, numbers, prints)
        _rewrite(connection, scope, rewrites, numbers, prints)
        _remember(connection, scope, ledger, vectors, space)
    return counts


def _times(connection: Connection, scope: uuid.UUID, after: datetime, count: int) -> list[datetime]:
    now = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
    first = max(now, after + _MICROSECOND)
    times = [first + number * _MICROSECOND for number in range(count)]
    connection.exec_driver_sql(
        "UPDATE scope_leases SET last_recorded = %(last)s WHERE scope = %(scope)s",
        {"scope": scope, "last": times[-1]},
    )
    return times


def _numbers(
    connection: Connection,
    scope: uuid.UUID,
    prints: Fingerprinter,
    decisions: Sequence[Decision],
    rewrites: _Rewrites,
) -> dict[bytes, int]:
    keys = {entry.version.key for entry in rewrites.opened} | {d.key for d in decisions if d.kind != "noop"}
    if not keys:
        return {}
    rows = connection.exec_driver_sql(
        sql("apply_beliefs"), {"scope": scope, "digests": [prints.belief(key) for key in keys]}
    )
    return {bytes(digest): belief for digest, belief in rows}


def _append(
    connection: Connection,
    scope: uuid.UUID,
    run: int | None,
    pack: str,
    decisions: Sequence[Decision],
    times: Sequence[datetime],
    numbers: dict[bytes, int],
    prints: Fingerprinter,
) -> None:
    payloads = [canonical_json(_payload(decision)) for decision in decisions]
    sources = [
        (decision.id, ordinal, source)
        for decision in decisions
        for ordinal, source in enumerate((decision.claim.source, *decision.claim.more_sources))
    ]
    connection.exec_driver_sql(
        sql("apply_deltas"),
        {
            "scope": scope,
            "run": run,
            "pack": pack,
            "ids": [d.id for d in decisions],
            "rules": [d.claim.rule for d in decisions],
            "kinds": [d.kind for d in decisions],
            "modes": [d.claim.mode for d in decisions],
            "positions": [d.claim.source.position for d in decisions],
            "beliefs": [numbers.get(prints.belief(d.key)) for d in decisions],
            "facts": [d.id if d.kind in ("add", "update") else d.about for d in decisions],
            "replaces": ["{" + ",".join(map(str, d.replaces)) + "}" for d in decisions],
            "ranged": [d.valid is not None for d in decisions],
            "valid_from": [_from(d.valid) for d in decisions],
            "valid_to": [_to(d.valid) for d in decisions],
            "confidences": [d.claim.confidence for d in decisions],
            "recorded": list(times),
            "fingerprints": [d.fingerprint for d in decisions],
            "payloads": [payload.decode() for payload in payloads],
            "payload_digests": [prints.payload(payload) for payload in payloads],
            "source_deltas": [delta for delta, _, _ in sources],
            "source_ordinals": [ordinal for _, ordinal, _ in sources],
            "source_episodes": [source.episode for _, _, source in sources],
            "source_keys": [source.key for _, _, source in sources],
            "source_positions": [source.position for _, _, source in sources],
            "source_starts": [source.start for _, _, source in sources],
            "source_ends": [source.end for _, _, source in sources],
        },
    )


def _payload(decision: Decision) -> dict[str, Any]:
    claim = decision.claim
    return {
        "subject": claim.subject,
        "predicate": claim.predicate,
        "object": claim.object,
        "single_valued": decision.key[2] is None,
        "certainty": claim.certainty,
        "session": claim.session,
        "reason": decision.reason,
    }


def _rewrite(
    connection: Connection,
    scope: uuid.UUID,
    rewrites: _Rewrites,
    numbers: dict[bytes, int],
    prints: Fingerprinter,
) -> None:
    if rewrites.closed:
        closed = connection.exec_driver_sql(
            sql("apply_close"),
            {"scope": scope, "versions": list(rewrites.closed), "at": list(rewrites.closed.values())},
        )
        if closed.rowcount != len(rewrites.closed):
            raise Conflict("a fact that is to be replaced was replaced meanwhile", hint="read again and decide")
    if not rewrites.opened:
        return
    opened = [(entry.version, entry.opened, entry.closed) for entry in rewrites.opened]
    connection.exec_driver_sql(
        sql("apply_open"),
        {
            "scope": scope,
            "facts": [v.fact for v, _, _ in opened],
            "beliefs": [numbers[prints.belief(v.key)] for v, _, _ in opened],
            "subjects": [v.subject for v, _, _ in opened],
            "predicates": [v.predicate for v, _, _ in opened],
            "objects": [v.object for v, _, _ in opened],
            "single": [v.key[2] is None for v, _, _ in opened],
            "valid_from": [_from(v.valid) for v, _, _ in opened],
            "valid_to": [_to(v.valid) for v, _, _ in opened],
            "opened": [at for _, at, _ in opened],
            "closed": [closed for _, _, closed in opened],
            "confidences": [v.confidence for v, _, _ in opened],
            "rules": [v.rule for v, _, _ in opened],
            "positions": [v.position for v, _, _ in opened],
            "sessions": [v.session for v, _, _ in opened],
        },
    )


def _remember(
    connection: Connection,
    scope: uuid.UUID,
    decisions: Sequence[Decision],
    vectors: Mapping[uuid.UUID, Vectors],
    space: int,
) -> None:
    """Give every new fact its vector, where it has one, and its standing."""
    new = [decision for decision in decisions if decision.kind in ("add", "update")]
    embedded = [(d.id, vectors[d.id]) for d in new if d.id in vectors]
    if embedded:
        connection.exec_driver_sql(
            "INSERT INTO fact_vectors (scope, fact, space, tenant, embedding) "
            "SELECT %(scope)s, fact, %(space)s, slowwave_tenant(), embedding "
            "FROM unnest(%(facts)s::uuid[], %(vectors)b::vector[]) AS new (fact, embedding) ON CONFLICT DO NOTHING",
            {
                "scope": scope,
                "space": space,
                "facts": [fact for fact, _ in embedded],
                "vectors": [vector for _, vector in embedded],
            },
        )
    if new:
        connection.exec_driver_sql(
            "INSERT INTO standing (scope, memory, tenant, kind, tier, base, anchor) "
            "SELECT %(scope)s, memory, slowwave_tenant(), 'semantic', 'warm', base, anchor "
            "FROM unnest(%(memories)s::uuid[], %(bases)s::float8[], %(anchors)s::timestamptz[]) "
            "AS new (memory, base, anchor) ON CONFLICT DO NOTHING",
            {
                "scope": scope,
                "memories": [d.id for d in new],
                "bases": [d.claim.confidence for d in new],
                "anchors": [d.claim.valid_from for d in new],
            },
        )


def _review(connection: Connection, scope: uuid.UUID, pack: str, decisions: Sequence[Decision]) -> None:
    for decision in decisions:
        connection.exec_driver_sql(
            "INSERT INTO dead_letters (tenant, scope, pack, episode, position, category, reason, item) "
            "VALUES (slowwave_tenant(), %(scope)s, %(pack)s, %(episode)s, %(position)s, 'conflict', %(reason)s, "
            "%(item)s::jsonb) ON CONFLICT DO NOTHING",
            {
                "scope": scope,
                "pack": pack,
                "episode": decision.claim.source.episode,
                "position": decision.claim.source.position,
                "reason": decision.reason,
                "item": json.dumps(_payload(decision)),
            },
        )


def _from(span: Span | None) -> datetime | None:
    return None if span is None or span.start == BEGINNING else span.start


def _to(span: Span | None) -> datetime | None:
    return None if span is None or span.end == END else span.end
