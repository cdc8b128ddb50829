"""The erasure in one scope. One transaction withdraws beliefs, then removes the words from every row."""

import uuid
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from slowwave.core.beliefs.versions import Decision, Version
from slowwave.core.graph.edges import entity_id, names_of
from slowwave.core.time_spans import Span
from slowwave.core.tool_attempts import name
from slowwave.core.withdrawal import withdraw
from slowwave.domain.erasure import Wanted
from slowwave.domain.fact import SUMMARY
from slowwave.domain.job_table import GROW, pack_of
from slowwave.errors import Conflict
from slowwave.store import model_requests, transaction
from slowwave.store.audit import log as audit
from slowwave.store.beliefs.affected_facts import version
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.beliefs.manual_corrections import sources_of
from slowwave.store.blocks import packing
from slowwave.store.erasure.removing import OF_A_SCOPE, remove
from slowwave.store.erasure.targets import named_in
from slowwave.store.fingerprints import Fingerprinter, fingerprinter
from slowwave.store.graph import rebuild
from slowwave.store.retention.legal_holds import under_legal_hold
from slowwave.store.statements import execute
from slowwave.store.transaction import registry_of
from slowwave.store.work_queue import intents
from slowwave.store.work_queue.leases import open_scope

_EPISODES = """
SELECT e.session, e.kind, CASE WHEN e.kind IN ('tool_call', 'outcome') THEN e.metadata END AS metadata
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
_KEYS = "SELECT id, received FROM episode_keys WHERE scope = %(scope)s AND position = ANY(%(positions)s::bigint[])"
_ABOUT = """
SELECT id FROM deltas WHERE scope = %(scope)s AND (%(everything)s OR fact = ANY(%(facts)s::uuid[]))
"""
_BESIDE = """
SELECT id FROM deltas
WHERE scope = %(scope)s AND replaces && %(facts)s::uuid[] AND id <> ALL(%(deltas)s::uuid[])
    AND NOT coalesce(fact = ANY(%(facts)s::uuid[]), false)
"""
_NAMELESS = """
SELECT e.entity, e.name FROM entities AS e
WHERE
    e.scope = %(scope)s AND e.entity = ANY(%(entities)s::uuid[])
    AND NOT EXISTS (
        SELECT FROM edges AS g
        WHERE g.scope = e.scope AND e.entity IN (g.source, g.target) AND g.fact <> ALL(%(facts)s::uuid[])
    )
"""
_NAMED = """
SELECT subject, object FROM facts
WHERE scope = %(scope)s AND fact <> ALL(%(facts)s::uuid[]) AND predicate <> '_erased'
"""


@dataclass(frozen=True, slots=True)
class Hit:
    """The rows that an erasure affects in one scope: episodes (*positions*, *ids*), and their *deltas* and *facts*.

    *requests* are those whose texts match. *trees* says whether a summary in the tree of summaries matches.
    """

    everything: bool
    positions: list[int]
    deltas: list[uuid.UUID]
    facts: list[uuid.UUID]
    ids: list[uuid.UUID]
    sessions: list[str]
    tasks: list[str]
    tools: list[str]
    requests: list[str]
    trees: bool
    since: datetime


def hit_by(connection: Connection, scope: uuid.UUID, target: Any, order: "Order") -> Hit:
    """Return the rows that *target* covers. Locks the scope's row, so that pushes wait for the transaction."""
    head = execute(connection, "inbox/lock", scopes=[scope]).one().head
    positions = list(range(1, head + 1)) if target.everything else list(target.positions)
    asked = {"erasure": order.id, "scope": scope, "everything": target.everything, "positions": positions}
    cited = execute(connection, "erasure/cited", **asked).all()
    made = {row.id for row in cited if row.kind in ("add", "update")}
    episodes = connection.exec_driver_sql(_EPISODES, asked).all()
    calls = [row.metadata for row in episodes if row.kind in ("tool_call", "outcome")]
    keys = connection.exec_driver_sql(_KEYS, asked).all()
    matched = named_in(connection, order.wanted, [scope])

    def named(place: str, at: int = 0) -> set[str]:
        return {names[at] for _, where, names, _ in matched if where == place}

    here = order.wanted.scope is None or order.wanted.scope.id == scope
    session = {order.wanted.session} if order.wanted.session and here else set()
    return Hit(
        target.everything,
        positions,
        [row.id for row in cited],
        sorted(made | _facts_in(connection, scope, target.memories)),
        [row.id for row in keys],
        sorted({row.session for row in episodes} | session | named("session")),
        sorted({name(call.get(field)) for call in calls for field in ("task", "context_pattern")} | named("call")),
        sorted(
            {name(tool) for call in calls for tool in [call.get("tool"), *_listed(call.get("tools"))]} - {""}
            | named("call", 1)
        ),
        sorted(named("request")),
        any(row[1] == "tree" for row in matched),
        min((row.received for row in keys), default=transaction.now(connection)),
    )


def _listed(tools: object) -> list[object]:
    return tools if isinstance(tools, list) else []


def _facts_in(connection: Connection, scope: uuid.UUID, memories: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    asked = {"scope": scope, "facts": list(memories)}
    return {row.fact for row in execute(connection, "erasure/versions", **asked)} if memories else set()


def versions_of(connection: Connection, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> list[tuple[Version, bool]]:
    """Return every version of *facts* whose words are not erased, with True if the version is open."""
    rows = execute(connection, "erasure/versions", scope=scope, facts=list(facts))
    return [(version(row), row.open) for row in rows]


def about(connection: Connection, scope: uuid.UUID, hit: Hit) -> set[uuid.UUID]:
    """Return the deltas whose payloads are erased: they cite erased words, or are about facts from erased words."""
    asked = {"scope": scope, "everything": hit.everything, "facts": hit.facts}
    return {*hit.deltas, *connection.exec_driver_sql(_ABOUT, asked).scalars()}


def beside(connection: Connection, scope: uuid.UUID, hit: Hit) -> list[uuid.UUID]:
    """Return the deltas that replaced an erased fact by another fact: their reasons name the erased fact."""
    asked = {"scope": scope, "facts": hit.facts, "deltas": hit.deltas}
    return list(connection.exec_driver_sql(_BESIDE, asked).scalars()) if hit.facts else []


def ended(connection: Connection, scope: uuid.UUID, hit: Hit) -> list[str]:
    """Return the sessions that have no episode left."""
    asked = {"scope": scope, "sessions": hit.sessions, "positions": hit.positions}
    left = connection.exec_driver_sql(
        "SELECT DISTINCT session FROM episodes WHERE scope = %(scope)s AND session = ANY(%(sessions)s::text[]) "
        "AND position <> ALL(%(positions)s::bigint[])",
        asked,
    ).scalars()
    return sorted(set(hit.sessions) - set(left))


def regrows(connection: Connection, scope: uuid.UUID, facts: Sequence[uuid.UUID]) -> bool:
    """Return whether any node of the tree of summaries was built from *facts*."""
    return bool(connection.exec_driver_sql(_REGROW, {"scope": scope, "facts": list(facts)}).scalar_one())


def nameless(connection: Connection, scope: uuid.UUID, names: Collection[str], hit: Hit) -> list[uuid.UUID]:
    """Return the ids of those entities named in *names* that no remaining fact mentions."""
    of = {entity_id(scope, each): each for each in names}
    asked = {"scope": scope, "entities": list(of), "facts": hit.facts}
    rows = connection.exec_driver_sql(_NAMELESS, asked).all()
    named = connection.exec_driver_sql(_NAMED, asked) if rows else ()
    remaining = {name.lower() for row in named for name in row}  # compared here, because objects may be encrypted
    return [row.entity for row in rows if row.name.lower() not in remaining]


PACK = "_forget"
RULE = "forget/request"
REASON = "forgotten for good, on request"
_TARGET = """
SELECT everything, positions, memories, done FROM erasure_targets
WHERE erasure = %(erasure)s AND scope = %(scope)s
"""
_DONE = "UPDATE erasure_targets SET done = slowwave_now() WHERE erasure = %(erasure)s AND scope = %(scope)s"
_NOTE = """
UPDATE erasures AS e
SET
    calls = e.calls || %(calls)s::bigint[],
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


@dataclass(frozen=True, slots=True)
class Order:
    """An ordered erasure. If *learn_again* is true, the erased facts may be learned again."""

    id: uuid.UUID
    wanted: Wanted
    learn_again: bool


def erase_scope(connection: Connection, scope: uuid.UUID, tenant: str, order: Order) -> bool:
    """Erase the target of *order* in *scope*; return False if a worker holds the scope.

    Repeating the call changes nothing.

    Raises `Conflict` if a legal hold covers the scope.
    """
    after = open_scope(connection, scope)
    if after is None:
        return False
    if under_legal_hold(connection, [scope]):
        raise under_hold()
    target = connection.exec_driver_sql(_TARGET, {"erasure": order.id, "scope": scope}).one()
    if target.done is not None:
        return True
    hit = hit_by(connection, scope, target, order)
    versions = versions_of(connection, scope, hit.facts)
    decided = _withdraw(connection, scope, order, hit, versions, after)
    calls = _erase_requests(connection, scope, hit)
    prints = fingerprinter(connection)
    known = names_of((one for one, _ in versions), registry_of(connection))
    asked: dict[str, Any] = {
        "erasure": order.id,
        "scope": scope,
        "everything": target.everything,
        "nameless": order.wanted.kind == "user",
        "positions": hit.positions,
        "deltas": sorted(about(connection, scope, hit) | decided),
        "beside": beside(connection, scope, hit),
        "facts": hit.facts,
        "ids": hit.ids,
        "memories": target.memories,
        "tasks": hit.tasks,
        "tools": hit.tools,
        "since": hit.since,
        "pseudonym": _pseudonym(connection, scope, prints),
        "regrow": hit.trees or regrows(connection, scope, hit.facts),
    }
    with as_eraser(connection):
        _replace_digests(connection, scope, hit, prints)
        asked["sessions"] = hit.sessions if target.everything else ended(connection, scope, hit)
        asked["entities"] = nameless(connection, scope, known, hit)
        counts = remove(connection, OF_A_SCOPE, asked)
    if not target.everything:
        packing.erase(connection, scope, hit.positions)
        if rebuild.begun(connection, scope):
            rebuild.recount(connection, scope)
        if asked["regrow"]:
            execute(connection, "summaries/delete_unused_summaries", scope=scope)
            intents.ask(connection, scope=scope, tenant=tenant, job=GROW, pack=pack_of(GROW), target=0)
    audit.log_write(connection, "delete", audit.ALL, detail={"action": "forget", "erasure": order.id})
    with as_eraser(connection):
        connection.exec_driver_sql(_DONE, {"erasure": order.id, "scope": scope})
        note(connection, order.id, counts, calls)
    return True


def under_hold() -> Conflict:
    """Return the error for a request that covers content under a legal hold."""
    return Conflict("a legal hold covers what is to be forgotten", hint="`slowwave archive holds` says which, and why")


def note(connection: Connection, erasure: uuid.UUID, counts: Counter[str], calls: Sequence[int] = ()) -> None:
    """Record the erased rows of an erasure by table or partition, and the *calls* that sent erased words to a model."""
    found = {name: count for name, count in counts.items() if count}
    asked = {"erasure": erasure, "names": list(found), "counts": list(found.values()), "calls": list(calls)}
    connection.exec_driver_sql(_NOTE, asked)


@contextmanager
def as_eraser(connection: Connection) -> Iterator[None]:
    """Run the block as the role slowwave_eraser, in the same transaction and for the same tenant."""
    connection.exec_driver_sql("SET LOCAL ROLE slowwave_eraser")
    yield
    connection.exec_driver_sql("SET LOCAL ROLE slowwave_app")


def _withdraw(
    connection: Connection,
    scope: uuid.UUID,
    order: Order,
    hit: Hit,
    versions: Sequence[tuple[Version, bool]],
    after: datetime,
) -> set[uuid.UUID]:
    """Close the open versions of the facts, and store keyed fingerprints of facts that must not be learned again.

    Return the ids of the deltas.
    """
    prints, now = fingerprinter(connection), transaction.now(connection)
    sources = sources_of(connection, hit.facts)
    again = execute(connection, "erasure/again", scope=scope, facts=hit.facts, deltas=hit.deltas).scalars()
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
        decisions.append(_without_relearning(decision, closed=not open_) if forget else decision)
    apply_decisions(connection, scope, decisions, run=None, pack=PACK, after=after, vectors={}, space=0)
    return {decision.id for decision in decisions}


def _without_relearning(decision: Decision, *, closed: bool) -> Decision:
    """Return *decision*, changed to forget its fact for good. If *closed* is True, the decision closes no version."""
    claim = replace(decision.claim, mode="forget")
    if not closed:
        return replace(decision, claim=claim)
    span = Span(claim.valid_from)
    return replace(decision, claim=claim, kind="noop", about=None, replaces=(), closes=(), valid=span)


def _erase_requests(connection: Connection, scope: uuid.UUID, hit: Hit) -> list[int]:
    """Erase the model requests with the erased words; return the ids of the calls that sent these requests."""
    requests = model_requests.erase(connection, scope, hit.positions, hit.requests)
    sent = "SELECT call FROM model_calls WHERE request = ANY(%(requests)s::text[]) ORDER BY call"
    return list(connection.exec_driver_sql(sent, {"requests": requests}).scalars()) if requests else []


def _replace_digests(connection: Connection, scope: uuid.UUID, hit: Hit, prints: Fingerprinter) -> None:
    """Replace the erased episodes' digests by keyed digests, which recognise a repeated episode but reveal no words."""
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


def _pseudonym(connection: Connection, scope: uuid.UUID, prints: Fingerprinter) -> str:
    """Return a pseudonym for the user of *scope*, the same in all scopes of the user."""
    user = connection.exec_driver_sql("SELECT user_id FROM scope_heads WHERE scope = %(scope)s", {"scope": scope})
    return f"erased-{prints.payload(b'user ' + user.scalar_one().encode()).hex()[:32]}"
