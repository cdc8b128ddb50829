"""Updates of the graph, in the transaction that writes decisions. Only changed entities and edges are written."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from slowwave.core.beliefs.versions import Decision
from slowwave.core.graph.edges import ALIAS, Ends, ends, entity_id, names_of, roots
from slowwave.core.predicates.sentences import USER
from slowwave.ports import Vectors
from slowwave.store.direct import send
from slowwave.store.statements import execute, sql
from slowwave.store.transaction import policy_of, registry_of


def confirmed_again(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> set[uuid.UUID]:
    """Return the facts whose confirmations *decisions* decide again, under each of their ids."""
    deltas = [decision.again for decision in decisions if decision.again]
    return set(execute(connection, "graph/confirmed_again", scope=scope, deltas=deltas).scalars()) if deltas else set()


def lock(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision], again: Collection[uuid.UUID]) -> None:
    """Lock the entities that *decisions* affect, and those of the facts in *again*.

    Call this function before any of these entities is written.
    Entities that only new facts name need no lock here: the statement that writes them locks them in the same order.
    """
    new = {decision.id: decision for decision in decisions if decision.kind in ("add", "update")}
    touched = _touched(decisions).union(again) - new.keys()
    if not touched:
        return
    registry = registry_of(connection)
    names = names_of((decision.opens[0] for decision in new.values()), registry)
    entities = [entity_id(scope, name) for name in names]
    send(connection, sql("graph/lock"), {"scope": scope, "entities": entities, "facts": list(touched)})


def project(
    connection: Connection,
    scope: uuid.UUID,
    decisions: Sequence[Decision],
    *,
    run: int | None,
    at: datetime,
    confirmed: Mapping[uuid.UUID, int],
    again: Collection[uuid.UUID],
) -> bool:
    """Write the changes that *decisions* make to the graph, and increment the graph's version.

    The caller has written the fact versions and the entities of *decisions*. *at* is the last recorded time.
    *confirmed* has the number of new episodes that confirm each fact; *again* are the facts that `confirmed_again`
    returned. Returns False and writes nothing if the graph of the scope was never built.
    """
    new, touched = _new(connection, decisions), sorted(_touched(decisions))
    version = execute(
        connection,
        "graph/project",
        scope=scope,
        run=run,
        at=at,
        facts=list(new),
        sources=[entity_id(scope, one.source) for one in new.values()],
        relations=[one.claim.predicate for one in decisions if one.id in new],
        targets=[None if one.target is None else entity_id(scope, one.target) for one in new.values()],
        kinds=[one.kind for one in new.values()],
        touched=touched,
        more=[confirmed.get(fact, 0) for fact in touched],
    ).scalar()
    if any(decision.again or decision.place for decision in decisions):
        execute(connection, "graph/reweigh", scope=scope, facts=sorted({*touched, *again}))
    if version is not None and (renamed := _renamed(connection, scope, decisions)):
        resolve(connection, scope, renamed)
    return version is not None


def store_names(connection: Connection, scope: uuid.UUID, names: Mapping[str, Vectors], space: int) -> None:
    """Store the vectors of the entity *names* in an embedding space; merge new names with names of similar meaning."""
    if not names:
        return
    of = {entity_id(scope, name): name for name in names}
    where = {"scope": scope, "space": space}
    stored = execute(connection, "graph/names/vectors", **where, entities=list(of), vectors=list(names.values()))
    user, merging = entity_id(scope, USER), policy_of(connection).graph
    asked = {row.entity for row in stored if row.agrees or merging.by == "cosine"}
    new = [entity for entity in of if entity in asked and entity != user]
    if not new:
        return
    near = execute(
        connection,
        "graph/names/nearest" if merging.by == "cosine" else "graph/names/agreeing",
        **where,
        entities=new,
        user=user,
    )
    merged = {row.entity: row.near for row in near if row.similarity >= merging.near_enough(of[row.entity])}
    if merged:
        execute(connection, "graph/names/merge", scope=scope, entities=list(merged), near=list(merged.values()))
        resolve(connection, scope, {*merged, *merged.values()})


def resolve(connection: Connection, scope: uuid.UUID, entities: Collection[uuid.UUID]) -> None:
    """Recompute which names mean the same entity, for *entities* and all names connected to them."""
    pairs = execute(connection, "graph/names/aliases", scope=scope, entities=list(entities))
    known = roots([(one, other) for one, other in pairs], first=entity_id(scope, USER))
    found = dict.fromkeys(entities) | dict(known)
    execute(connection, "graph/names/same", scope=scope, entities=list(found), roots=list(found.values()))


def _new(connection: Connection, decisions: Sequence[Decision]) -> dict[uuid.UUID, Ends]:
    """Return the subject and object of each fact that *decisions* create, by fact, in the order of *decisions*."""
    made = [decision for decision in decisions if decision.kind in ("add", "update")]
    if not made:
        return {}
    registry = registry_of(connection)
    found = {decision.id: ends(decision.opens[0], registry) for decision in made}
    return {fact: one for fact, one in found.items() if one is not None}


def _touched(decisions: Sequence[Decision]) -> set[uuid.UUID]:
    """Return the facts that *decisions* confirm, and the facts of which *decisions* add or end a version."""
    changed = {version.fact for decision in decisions for version in (*decision.opens, *decision.closes)}
    return changed | {decision.about for decision in decisions if decision.about is not None}


def _renamed(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> set[uuid.UUID]:
    """Return the entities that are connected by the aliases that *decisions* add or end."""
    changed = [version for decision in decisions for version in (*decision.opens, *decision.closes)]
    typed = [version for version in changed if version.form == "typed"]
    if not typed:
        return set()
    registry = registry_of(connection)
    aliases = [one for version in typed if (one := ends(version, registry)) is not None and one.kind == ALIAS]
    return {entity_id(scope, name) for one in aliases for name in one.names}
