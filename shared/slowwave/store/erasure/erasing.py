"""The erasure of one scope, in one transaction: beliefs are withdrawn, then every row loses its words."""

import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.decision import Decision, Version
from slowwave.core.graph.ends import entity_id, names_of
from slowwave.core.timeline import Span
from slowwave.core.tool_attempts import name
from slowwave.core.withdrawal import withdraw
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.errors import Conflict
from slowwave.store import clock
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.beliefs.held import version
from slowwave.store.beliefs.withdrawals import sources_of
from slowwave.store.blocks import packing
from slowwave.store.claims import intents
from slowwave.store.claims.leases import open_scope
from slowwave.store.desk import erasure as desk
from slowwave.store.erasure.removing import OF_A_SCOPE, remove
from slowwave.store.erasure.targets import held
from slowwave.store.fingerprints import Fingerprinter, fingerprinter
from slowwave.store.graph import rebuilding
from slowwave.store.policy import registry_of
from slowwave.store.statements import sql

PACK = "_forget"
RULE = "forget/request"
REASON = "forgotten for good, on request"


@dataclass(frozen=True, slots=True)
class Order:
    """An erasure as it was ordered, and whether what it removes may be learned again."""

    id: uuid.UUID
    kind: str
    learn_again: bool


@dataclass(frozen=True, slots=True)
class _Hit:
    """What one scope loses: deltas that cite erased words, facts they made, and the ids of the episodes."""

    everything: bool
    positions: list[int]
    deltas: list[uuid.UUID]
    facts: list[uuid.UUID]
    ids: list[uuid.UUID]
    sessions: list[str]
    tasks: list[str]
    tools: list[str]
    since: datetime


def erase_scope(connection: Connection, scope: uuid.UUID, tenant: str, order: Order) -> bool:
    """Erase the target of *order* in *scope*; return False while a worker holds it. A repeat changes nothing.

    Raises `Conflict` if a legal hold covers the scope.
    """
    after = open_scope(connection, scope)
    if after is None:
        return False
    if held(connection, [scope]):
        raise Conflict(
            "a legal hold covers what is to be forgotten", hint="`slowwave archive holds` says which, and why"
        )
    target = connection.exec_driver_sql(_TARGET, {"erasure": order.id, "scope": scope}).one()
    if target.done is not None:
        return True
    hit = _hit(connection, scope, target, order)
    versions = _versions(connection, scope, hit.facts)
    _withdraw(connection, scope, order, hit, versions, after)
    _erase_requests(connection, scope, hit)
    prints = fingerprinter(connection)
    known = names_of((one for one, _ in versions), registry_of(connection))
    asked: dict[str, Any] = {
        "erasure": order.id,
        "scope": scope,
        "everything": target.everything,
        "nameless": order.kind == "user",
        "positions": hit.positions,
        "deltas": _about(connection, scope, hit),
        "beside": _beside(connection, scope, hit),
        "facts": hit.facts,
        "ids": hit.ids,
        "memories": target.memories,
        "tasks": hit.tasks,
        "tools": hit.tools,
        "since": hit.since,
        "pseudonym": _pseudonym(connection, scope, prints),
        "regrow": connection.exec_driver_sql(_REGROW, {"scope": scope, "facts": hit.facts}).scalar_one(),
    }
    with _as_eraser(connection):
        _key_digests(connection, scope, hit, prints)
        asked["sessions"] = hit.sessions if target.everything else _ended(connection, scope, hit)
        asked["entities"] = _nameless(connection, scope, known, hit)
        counts = remove(connection, OF_A_SCOPE, asked)
    if not target.everything:
        packing.erase(connection, scope, hit.positions)
        if rebuilding.begun(connection, scope):
            rebuilding.recount(connection, scope)
        if asked["regrow"]:
            connection.exec_driver_sql(sql("summaries/let_go_tellings"), {"scope": scope})
            intents.ask(connection, scope=scope, tenant=tenant, job=GROW, pack=pack_of(GROW), target=0)
    audit.log_write(connection, "delete", audit.ALL, detail={"action": "forget", "erasure": order.id})
    with _as_eraser(connection):
        connection.exec_driver_sql(_DONE, {"erasure": order.id, "scope": scope})
        note(connection, order.id, counts)
    return True


def note(connection: Connection, erasure: uuid.UUID, counts: Counter[str]) -> None:
    """Add rows by table or partition to the counts of an erasure."""
    found = {name: count for name, count in counts.items() if count}
    connection.exec_driver_sql(_NOTE, {"erasure": erasure, "names": list(found), "counts": list(found.values())})


class _as_eraser:  # noqa: N801 - read as a phrase: with _as_eraser(connection)
    """The block runs as the eraser, in the same transaction and for the same tenant."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        self._connection.exec_driver_sql("SET LOCAL ROLE slowwave_eraser")

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._connection.exec_driver_sql("SET LOCAL ROLE slowwave_app")


as_eraser = _as_eraser


def _hit(connection: Connection, scope: uuid.UUID, target: Any, order: Order) -> _Hit:
    """Return what the target covers; pushes to the scope wait from here on."""
    head = connection.exec_driver_sql(sql("inbox/lock"), {"scopes": [scope]}).one().head
    positions = list(range(1, head + 1)) if target.everything else list(target.positions)
    asked = {"erasure": order.id, "scope": scope, "everything": target.everything, "positions": positions}
    cited = connection.exec_driver_sql(sql("erasure/cited"), asked).all()
    made = {row.id for row in cited if row.kind in ("add", "update")}
    told = connection.exec_driver_sql(_EPISODES, asked).all()
    calls = [row.metadata for row in told if row.kind in ("tool_call", "outcome")]
    return _Hit(
        target.everything,
        positions,
        [row.id for row in cited],
        sorted(made | _facts_in(connection, scope, target.memories)),
        [row.id for row in connection.exec_driver_sql(_KEYS, asked)],
        sorted({row.session for row in told}),
        sorted({name(said.get(field)) for said in calls for field in ("task", "context_pattern")}),
        sorted({name(tool) for said in calls for tool in [said.get("tool"), *_listed(said.get("tools"))]} - {""}),
        min((row.received for row in told), default=clock.now(connection)),
    )


def _listed(tools: object) -> list[object]:
    return tools if isinstance(tools, list) else []


def _facts_in(connection: Connection, scope: uuid.UUID, memories: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    asked = {"scope": scope, "facts": list(memories)}
    return {row.fact for row in connection.exec_driver_sql(sql("erasure/versions"), asked)} if memories else set()


def _versions(connection: Connection, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> list[tuple[Version, bool]]:
    """Return every version of *facts* that still has its words, and whether it is open."""
    rows = connection.exec_driver_sql(sql("erasure/versions"), {"scope": scope, "facts": list(facts)})
    return [(version(row), row.open) for row in rows]


def _withdraw(
    connection: Connection,
    scope: uuid.UUID,
    order: Order,
    hit: _Hit,
    versions: Sequence[tuple[Version, bool]],
    after: datetime,
) -> None:
    """Close what is open of the facts, and remember by keyed fingerprints what is not to be learned again."""
    prints, now = fingerprinter(connection), clock.now(connection)
    sources = sources_of(connection, hit.facts)
    again = connection.exec_driver_sql(
        sql("erasure/again"), {"scope": scope, "facts": hit.facts, "deltas": hit.deltas}
    ).scalars()
    may_return = set(again)
    of: dict[uuid.UUID, list[tuple[Version, bool]]] = {}
    for one, is_open in versions:
        of.setdefault(one.fact, []).append((one, is_open))
    decisions = []
    for fact, every in of.items():
        open_ = [one for one, is_open in every if is_open]
        forget = not (order.learn_again or fact in may_return or every[0][0].predicate == SUMMARY)
        if not open_ and not forget:
            continue
        decision = withdraw(
            open_ or [every[-1][0]],
            id=uuid.uuid5(scope, f"{PACK}/{order.id}/{fact}"),
            rule=RULE,
            reason=REASON,
            at=now,
            sources=sources[fact],
            fingerprint=prints.fact,
        )
        decisions.append(_forgetting(decision, closed=not open_) if forget else decision)
    apply_decisions(connection, scope, decisions, run=None, pack=PACK, after=after, vectors={}, space=0)


def _forgetting(decision: Decision, *, closed: bool) -> Decision:
    """Return *decision* as one after which the same is not learned again; of a *closed* belief it closes nothing."""
    claim = replace(decision.claim, mode="forget")
    if not closed:
        return replace(decision, claim=claim)
    span = Span(claim.valid_from)
    return replace(decision, claim=claim, kind="noop", about=None, replaces=(), closes=(), valid=span)


def _erase_requests(connection: Connection, scope: uuid.UUID, hit: _Hit) -> None:
    """Erase model requests about the words, and note the calls by which a provider was sent them."""
    if hit.positions:
        desk.erase(connection, scope, hit.positions)


def _about(connection: Connection, scope: uuid.UUID, hit: _Hit) -> list[uuid.UUID]:
    """Return the deltas that cite the words, or are about facts made of them, whose payloads go."""
    asked = {"scope": scope, "everything": hit.everything, "facts": hit.facts}
    return sorted({*hit.deltas, *connection.exec_driver_sql(_ABOUT, asked).scalars()})


def _beside(connection: Connection, scope: uuid.UUID, hit: _Hit) -> list[uuid.UUID]:
    """Return the deltas of other facts that replaced one of these: their reasons name it."""
    asked = {"scope": scope, "facts": hit.facts, "deltas": hit.deltas}
    return list(connection.exec_driver_sql(_BESIDE, asked).scalars()) if hit.facts else []


def _key_digests(connection: Connection, scope: uuid.UUID, hit: _Hit, prints: Fingerprinter) -> None:
    """Replace the digests of what was said by keyed ones, by which a repeat is known and the words cannot be guessed."""
    rows = connection.exec_driver_sql(
        "SELECT id, digest FROM episode_keys WHERE scope = %(scope)s AND NOT erased "
        "AND position = ANY(%(positions)s::bigint[])",
        {"scope": scope, "positions": hit.positions},
    ).all()
    connection.exec_driver_sql(
        "UPDATE episode_keys k SET digest = new.digest, erased = true "
        "FROM unnest(%(ids)s::uuid[], %(digests)s::bytea[]) AS new (id, digest) "
        "WHERE k.scope = %(scope)s AND k.id = new.id",
        {
            "scope": scope,
            "ids": [row.id for row in rows],
            "digests": [prints.payload(bytes(row.digest)) for row in rows],
        },
    )


def _ended(connection: Connection, scope: uuid.UUID, hit: _Hit) -> list[str]:
    """Return the sessions of which no episode is left."""
    asked = {"scope": scope, "sessions": hit.sessions, "positions": hit.positions}
    left = connection.exec_driver_sql(
        "SELECT DISTINCT session FROM episodes WHERE scope = %(scope)s AND session = ANY(%(sessions)s::text[]) "
        "AND position <> ALL(%(positions)s::bigint[])",
        asked,
    ).scalars()
    return sorted(set(hit.sessions) - set(left))


def _pseudonym(connection: Connection, scope: uuid.UUID, prints: Fingerprinter) -> str:
    """Return what stands for the name of the user of *scope*: the same in all scopes of the user."""
    user = connection.exec_driver_sql("SELECT user_id FROM scope_heads WHERE scope = %(scope)s", {"scope": scope})
    return f"erased-{prints.payload(b'user ' + user.scalar_one().encode()).hex()[:32]}"


def _nameless(connection: Connection, scope: uuid.UUID, names: Collection[str], hit: _Hit) -> list[uuid.UUID]:
    """Return the entities called by *names* that no other fact is about or names."""
    of = {entity_id(scope, each): each for each in names}
    rows = connection.exec_driver_sql(_NAMELESS, {"scope": scope, "entities": list(of), "facts": hit.facts})
    return list(rows.scalars())


_TARGET = """
SELECT everything, positions, memories, done FROM erasure_targets
WHERE erasure = %(erasure)s AND scope = %(scope)s
"""
_DONE = "UPDATE erasure_targets SET done = slowwave_now() WHERE erasure = %(erasure)s AND scope = %(scope)s"
_NOTE = """
UPDATE erasures AS e
SET
    tables = ARRAY(SELECT DISTINCT one FROM unnest(e.tables || %(names)s::text[]) AS every (one) ORDER BY one),
    counts = e.counts || (
        SELECT coalesce(jsonb_object_agg(name, coalesce((e.counts ->> name)::bigint, 0) + count), '{}')
        FROM (
            SELECT regexp_replace(name, '_(\\d{4}.*|default)$', '') AS name, sum(count) AS count
            FROM unnest(%(names)s::text[], %(counts)s::bigint[]) AS new (name, count)
            GROUP BY 1
        ) AS new
    )
WHERE erasure = %(erasure)s
"""
_EPISODES = """
SELECT e.session, e.kind, e.received, CASE WHEN e.kind IN ('tool_call', 'outcome') THEN e.metadata END AS metadata
FROM episode_keys AS k
JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE k.scope = %(scope)s AND k.position = ANY(%(positions)s::bigint[])
"""
_REGROW = """
SELECT EXISTS (
    SELECT FROM tree_nodes
    WHERE scope = %(scope)s AND (facts && %(facts)s::uuid[] OR node = ANY(%(facts)s::uuid[]))
)
"""
_KEYS = "SELECT id FROM episode_keys WHERE scope = %(scope)s AND position = ANY(%(positions)s::bigint[])"
_ABOUT = """
SELECT id FROM deltas WHERE scope = %(scope)s AND (%(everything)s OR fact = ANY(%(facts)s::uuid[]))
"""
_BESIDE = """
SELECT id FROM deltas
WHERE scope = %(scope)s AND replaces && %(facts)s::uuid[] AND id <> ALL(%(deltas)s::uuid[])
    AND NOT coalesce(fact = ANY(%(facts)s::uuid[]), false)
"""
_NAMELESS = """
SELECT e.entity FROM entities AS e
WHERE
    e.scope = %(scope)s AND e.entity = ANY(%(entities)s::uuid[])
    AND NOT EXISTS (
        SELECT FROM edges AS g
        WHERE g.scope = e.scope AND e.entity IN (g.source, g.target) AND g.fact <> ALL(%(facts)s::uuid[])
    )
    AND NOT EXISTS (
        SELECT FROM facts AS f
        WHERE
            f.scope = e.scope AND f.fact <> ALL(%(facts)s::uuid[]) AND f.predicate <> '_erased'
            AND lower(e.name) IN (lower(f.subject), lower(f.object))
    )
"""
