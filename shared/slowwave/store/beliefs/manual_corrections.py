"""Corrections: a typed delta applied by hand, in one transaction, behind the scope's lease."""

import uuid
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError
from sqlalchemy import Connection

from slowwave.core.beliefs.wording import in_words
from slowwave.core.corrections import FactPayload, decide
from slowwave.core.fold import Version
from slowwave.core.masking import MASKING, Masking
from slowwave.core.predicates import Predicates
from slowwave.domain.claim import Source
from slowwave.domain.delta import AddDelta, MemoryDelta, UpdateDelta, parse_delta
from slowwave.domain.episode import problems_of
from slowwave.domain.limits import MOST_NAMES, NAME_CHARACTERS, REASON_BYTES
from slowwave.domain.scope import Scope
from slowwave.domain.text import canonical_json, text_problems
from slowwave.errors import Incorrect, NotFound
from slowwave.ports import Embedder
from slowwave.store.beliefs import held_facts
from slowwave.store.beliefs.apply import apply_decisions
from slowwave.store.beliefs.names import names_of_users
from slowwave.store.embedding_spaces import space_number
from slowwave.store.fingerprints import fingerprinter
from slowwave.store.inbox.episodes import by_ids
from slowwave.store.work_queue import leases

PACK = "_by_hand"


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

    A typed fact without text gets the sentence that *predicates* make of it.
    Applying the same delta again changes nothing. Raises `Incorrect` with every problem of an invalid delta and for one
    that contains a secret, `FactConflictError` if it is not certain what it replaces, `NotFound` for an unknown scope
    or source, and `Conflict` while a worker holds the scope.
    """
    delta, payload = _read(delta)
    masking.refuse([delta.model_dump(mode="json"), {payload.predicate: payload.object} if payload else {}], "the delta")
    after = leases.take_by_hand(connection, scope)
    id_ = uuid.uuid5(scope.id, canonical_json(delta.model_dump(mode="json")).decode())
    if connection.exec_driver_sql("SELECT 1 FROM deltas WHERE id = %(id)s", {"id": id_}).scalar_one_or_none():
        return id_
    sources, session = _sources(connection, scope, delta)
    prints = fingerprinter(connection)

    def rivals(payload: FactPayload) -> list[Version]:
        return held_facts.open_versions(connection, scope.id, [prints.belief(payload.key)])

    replaces = {text: _id(text) for text in getattr(delta, "replaces", [])}
    found = held_facts.open_of_facts(connection, scope.id, [fact for fact in replaces.values() if fact])
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
