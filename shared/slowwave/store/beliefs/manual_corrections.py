"""Claims and corrections made by hand, and withdrawals by jobs. Each is written as a delta under the scope's lease."""

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection

from slowwave.core.beliefs.versions import in_words
from slowwave.core.fold import Decision, Version
from slowwave.core.graph.edges import names_of
from slowwave.core.ledger import FactPayload, decide
from slowwave.core.masking import MASKING, Masking
from slowwave.core.predicates import Predicates
from slowwave.core.withdrawal import withdraw
from slowwave.domain.claim import Claim, Source
from slowwave.domain.delta import AddDelta, MemoryDelta, UpdateDelta, parse_delta
from slowwave.domain.episode import problems_of
from slowwave.domain.job_table import pack_of
from slowwave.domain.limits import MOST_NAMES, NAME_CHARACTERS, REASON_BYTES, canonical_json, text_problems
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.ports import Embedder
from slowwave.store.access.stored_words import note
from slowwave.store.beliefs import affected_facts
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.beliefs.stated_claims import names_of_users
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox.stored_episodes import by_ids
from slowwave.store.transaction import registry_of, space_number
from slowwave.store.work_queue import leases

GRAPH_PACK = "_graph"
PACK = "_by_hand"


def apply_claims(
    connection: Connection,
    scope: Scope,
    claims: Sequence[Claim],
    embedder: Embedder,
    *,
    pack: str = GRAPH_PACK,
    reason: str = "",
) -> list[uuid.UUID]:
    """Decide about *claims* and apply the decisions; return the facts that the scope then believes because of *claims*.

    The deltas of the decisions contain the *reason*, if a reason is given.

    A repeated claim confirms its fact and increases the weight of the fact's edge. The same claim from the same episode
    changes nothing. Raises `Conflict` while a worker holds the scope.
    """
    after, registry = leases.take_by_hand(connection, scope), registry_of(connection)
    canonical = [registry.canonical(claim) for claim in claims]
    fold = replace(affected_facts.fold_over(connection, scope.id, pack, registry.reach(canonical)), predicates=registry)
    decisions = [decision for claim in canonical for decision in fold.decide(claim)]
    known = _known(connection, [decision.id for decision in decisions])
    fresh = [_because(decision, reason) for decision in decisions if decision.id not in known]
    new = [decision for decision in fresh if decision.kind in ("add", "update")]
    names = names_of((decision.opens[0] for decision in new), registry)
    vectors = embedder.embed([*(decision.opens[0].text for decision in new), *names])
    apply_decisions(
        connection,
        scope.id,
        fresh,
        run=None,
        pack=pack,
        after=after,
        vectors={decision.id: vector for decision, vector in zip(new, vectors, strict=False) if vector.any()},
        names={name: vector for name, vector in zip(names, vectors[len(new) :], strict=True) if vector.any()},
        space=space_number(connection, embedder.space, embedder.dimensions),
    )
    about = {decision.id: decision.about for decision in decisions}
    return [fact for id_, existing in about.items() if (fact := existing or id_)]


def _because(decision: Decision, reason: str) -> Decision:
    return replace(decision, reason=f"{reason} ({decision.reason})") if reason else decision


def _known(connection: Connection, ids: Sequence[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of *ids* that are ids of existing deltas. Served by the primary key deltas_pkey."""
    rows = connection.exec_driver_sql("SELECT id FROM deltas WHERE id = ANY(%(ids)s::uuid[])", {"ids": list(ids)})
    return set(rows.scalars())


def apply_delta(
    connection: Connection,
    scope: Scope,
    delta: MemoryDelta | dict[str, Any],
    embedder: Embedder,
    predicates: Predicates,
    *,
    masking: Masking = MASKING,
) -> uuid.UUID:
    """Apply *delta* to *scope*; return its id, which is also the id of the fact that an add or update creates.

    A typed fact without text gets the sentence that *predicates* make of the fact. Applying the same delta again
    changes nothing. Raises `Incorrect` with every problem of an invalid delta, also if the delta contains a secret.
    Raises `FactConflictError` if it is uncertain which facts the delta replaces, `NotFound` for an unknown scope or
    source, and `Conflict` while a worker holds the scope.
    """
    delta, payload = _read(delta)
    masking.refuse([delta.model_dump(mode="json"), {payload.predicate: payload.object} if payload else {}], "the delta")
    after = leases.take_by_hand(connection, scope)
    words = canonical_json(delta.model_dump(mode="json"))
    id_ = uuid.uuid5(scope.id, words.decode())
    if connection.exec_driver_sql("SELECT 1 FROM deltas WHERE id = %(id)s", {"id": id_}).scalar_one_or_none():
        return id_
    note(connection, words)
    sources, session = _sources(connection, scope, delta)
    prints = fingerprinter(connection)

    def rivals(payload: FactPayload) -> list[Version]:
        return affected_facts.open_versions(connection, scope.id, [prints.belief(payload.key)])

    replaces = {text: _id(text) for text in getattr(delta, "replaces", [])}
    found = affected_facts.open_of_facts(connection, scope.id, [fact for fact in replaces.values() if fact])
    decision = decide(
        delta,
        payload,
        id=id_,
        sources=sources,
        session=session,
        replaced={text: found.get(fact, []) if fact else [] for text, fact in replaces.items()},
        rivals=rivals,
        fingerprint=prints.fact,
    )
    vectors = {}
    if payload is not None:
        decision = in_words(decision, predicates, names_of_users(connection, [scope.id]).get(scope.id))
        vector = embedder.embed([decision.opens[0].text])[0]
        vectors = {id_: vector} if vector.any() else {}
    space = space_number(connection, embedder.space, embedder.dimensions)
    apply_decisions(connection, scope.id, [decision], run=None, pack=PACK, after=after, vectors=vectors, space=space)
    return id_


def _read(given: MemoryDelta | dict[str, Any]) -> tuple[MemoryDelta, FactPayload | None]:
    delta = parse_delta(given)
    if problems := list(_beyond_limits(delta)):
        raise Incorrect.listing("the delta", problems, hint="cite the episodes that say it, and say why in a few words")
    if not isinstance(delta, AddDelta | UpdateDelta):
        return delta, None
    try:
        return delta, FactPayload.model_validate(delta.fact_payload)
    except ValidationError as error:
        problems = [f"fact_payload.{problem}" for problem in problems_of(error)]
        raise Incorrect.listing("the delta", problems, hint="a fact has subject, predicate and object") from None


def _beyond_limits(delta: MemoryDelta) -> Iterator[str]:
    for name in ("source_episode_ids", "replaces"):
        if (many := len(getattr(delta, name, ()))) > MOST_NAMES:
            yield f"{name}: has {many} items, at most {MOST_NAMES} are allowed"
    for name, most in (("reason", REASON_BYTES), ("rule_id", NAME_CHARACTERS)):
        text = getattr(delta, name)
        if (size := len(text.encode())) > most:
            yield f"{name}: has {size} bytes, at most {most} are allowed"
        yield from (f"{name}: {problem}" for problem in text_problems(text))


def _sources(connection: Connection, scope: Scope, delta: MemoryDelta) -> tuple[list[Source], str]:
    ids = [_id(text) for text in delta.source_episode_ids]
    episodes = {episode.id: episode for episode in by_ids(connection, scope.id, [i for i in ids if i])}
    lost = [text for text, id_ in zip(delta.source_episode_ids, ids, strict=True) if id_ not in episodes]
    if lost:
        raise NotFound(f"no such episodes in this scope: {', '.join(lost)}", hint="cite ids from push receipts")
    found = [episodes[id_] for id_ in ids if id_]
    return [Source(e.id, e.key, e.position, 0, len(e.content)) for e in found], found[0].session


def _id(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def withdraw_facts(
    connection: Connection,
    scope: uuid.UUID,
    facts: Sequence[uuid.UUID],
    *,
    job: str,
    policy: str | None,
    reason: str,
    at: datetime,
    run: int,
    after: datetime,
) -> int:
    """Withdraw *facts* and delete their memory states, under the policy of a job; return how many facts were believed.

    The caller has locked the scope's lease row; *after* is the last recorded time of the scope.
    """
    open_versions, sources = affected_facts.open_of_facts(connection, scope, facts), sources_of(connection, facts)
    prints = fingerprinter(connection)
    decisions = [
        withdraw(
            open_versions[fact],
            id=uuid.uuid5(scope, f"{job}/{fact}"),
            rule=f"{job}/{policy}",
            reason=reason,
            at=at,
            sources=sources[fact],
            fingerprint=prints.fact,
        )
        for fact in facts
        if fact in open_versions
    ]
    apply_decisions(connection, scope, decisions, run=run, pack=pack_of(job), after=after, vectors={}, space=0)
    connection.exec_driver_sql(
        "DELETE FROM standing WHERE scope = %(scope)s AND memory = ANY(%(memories)s::uuid[])",
        {"scope": scope, "memories": list(facts)},
    )
    return len(decisions)


def sources_of(connection: Connection, facts: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Source]]:
    """Return the sources of each of *facts*, in order. Served by the primary key delta_sources_pkey."""
    rows = connection.exec_driver_sql(
        "SELECT delta, episode, key, position, span_start, span_end, origin FROM delta_sources "
        "WHERE delta = ANY(%(facts)s::uuid[]) ORDER BY delta, ordinal",
        {"facts": list(facts)},
    )
    found: dict[uuid.UUID, list[Source]] = {}
    for fact, *source in rows:
        found.setdefault(fact, []).append(Source(*source))
    return found
