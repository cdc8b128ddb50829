"""Entities that facts are about: seen with the first fact, fading unless used, tombstoned when no fact needs them."""

import uuid
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection

from slowwave.core.beliefs.identity import normal
from slowwave.core.fold import Decision, Version
from slowwave.domain.fact import SUMMARY
from slowwave.store.standing.standing import Key
from slowwave.store.statements import sql

TIER = "cold"
"""Entities stand on no ladder; their standing has to name a tier."""


def entity_id(scope: uuid.UUID, name: str) -> uuid.UUID:
    """Return the id of who or what is called *name* in *scope*, however it is written."""
    return uuid.uuid5(scope, f"entity/{normal(name)}")


def mentioned(connection: Connection, scope: uuid.UUID, decisions: Sequence[Decision]) -> None:
    """Create the entities of new facts, and make those due of which facts were only closed."""
    opened, closed = _changed(decisions)
    if opened:
        names = {entity_id(scope, version.subject): version.subject for version in opened}
        connection.exec_driver_sql(
            sql("standing/entities_mentioned"),
            {"scope": scope, "entities": list(names), "names": list(names.values()), "tier": TIER},
        )
    if bereft := _ids(scope, closed) - _ids(scope, opened):
        connection.exec_driver_sql(
            "UPDATE entities SET due = slowwave_now() WHERE scope = %(scope)s AND entity = ANY(%(entities)s::uuid[]) "
            "AND tombstoned IS NULL",
            {"scope": scope, "entities": sorted(bereft)},
        )


def about(connection: Connection, facts: Collection[Key]) -> list[Key]:
    """Return the entities *facts* are about, as (scope, entity). Served by facts_of_delta."""
    rows = connection.exec_driver_sql(
        "SELECT DISTINCT f.scope, f.subject FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS told (scope, fact) "
        "JOIN facts f USING (scope, fact)",
        {"scopes": [scope for scope, _ in facts], "facts": [fact for _, fact in facts]},
    )
    return sorted({(scope, entity_id(scope, subject)) for scope, subject in rows})


def of(scope: uuid.UUID, decisions: Sequence[Decision]) -> set[Key]:
    """Return the entities of the versions that *decisions* open and close."""
    return {(scope, entity) for entity in _ids(scope, [v for d in decisions for v in (*d.opens, *d.closes)])}


def touch(connection: Connection, entities: Collection[Key]) -> None:
    """Count an access of *entities*, whose standing is locked: facts about them were returned to somebody.

    Served by standing_pkey and entities_pkey.
    """
    where = {"scopes": [scope for scope, _ in entities], "entities": [entity for _, entity in entities]}
    connection.exec_driver_sql(
        sql("standing/touch_entities"),
        where,
    )
    connection.exec_driver_sql(
        "UPDATE entities e SET faded = NULL FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS t (scope, entity) "
        "WHERE e.scope = t.scope AND e.entity = t.entity AND e.faded IS NOT NULL",
        where,
    )


def mark_faded(connection: Connection, entities: Iterable[tuple[uuid.UUID, uuid.UUID]]) -> int:
    """Write down that these (scope, entity) have fallen below their floor now; return how many had not before."""
    pairs = sorted(entities)
    marked = connection.exec_driver_sql(
        "UPDATE entities e SET faded = slowwave_now() "
        "FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS f (scope, entity) "
        "WHERE e.scope = f.scope AND e.entity = f.entity AND e.faded IS NULL AND e.tombstoned IS NULL",
        {"scopes": [scope for scope, _ in pairs], "entities": [entity for _, entity in pairs]},
    )
    return marked.rowcount


def _changed(decisions: Sequence[Decision]) -> tuple[list[Version], list[Version]]:
    """The versions that *decisions* leave open, and those that they close."""
    opened: dict[Version, None] = {}
    closed: list[Version] = []
    for decision in decisions:
        if decision.claim.predicate == SUMMARY:  # a summary is of a session, which is nobody and nothing
            continue
        for version in decision.closes:
            opened.pop(version, None)
            closed.append(version)
        opened |= dict.fromkeys(decision.opens)
    return list(opened), closed


def _ids(scope: uuid.UUID, versions: Iterable[Version]) -> set[uuid.UUID]:
    return {entity_id(scope, version.subject) for version in versions}
