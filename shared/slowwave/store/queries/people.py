"""Profiles and mentions: the facts about a user, and the turns that mention an entity."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from heapq import merge
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from slowwave.core.graph.mentions import Wording, wording
from slowwave.core.graph.path_search import Key
from slowwave.domain.fact import Fact
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.queries.mention import Mention
from slowwave.domain.scope import Scope
from slowwave.domain.standing import Standing
from slowwave.store.beliefs.facts import facts
from slowwave.store.beliefs.stated_claims import names_of_users
from slowwave.store.encryption.tenant_keys import cipher_of
from slowwave.store.memory_state.standing import standings
from slowwave.store.queries.episodes import AFTER_ALL, LAST, bound, remembered
from slowwave.store.statements import execute

MOST_FACTS = 20_000
"""The maximum number of facts about one name whose source turns are read, in each direction, the heaviest first."""


def of_user(connection: Connection, scopes: Sequence[Scope], *, most: int) -> list[tuple[Fact, Mapping[str, float]]]:
    """Return at most *most* typed facts (with registered predicates) about the users of *scopes*, the latest first.

    The facts are believed and valid now.

    Each fact comes with the measures that rank it: confidence, strength and frequency.
    """
    ids = [scope.id for scope in scopes]
    called = names_of_users(connection, ids)
    rows = execute(connection, "queries/profile", scopes=ids, called=[called.get(id_) for id_ in ids], most=most)
    named: list[uuid.UUID] = list(rows.scalars())
    facts_by_id = {fact.id: fact for fact in facts(connection, ids, named=named)}
    known = standings(connection, [(fact.scope.id, fact.id) for fact in facts_by_id.values()])
    return [(fact, _reasons(fact, known.get(fact.id))) for fact in facts_by_id.values()]


def _reasons(fact: Fact, stands: Standing | None) -> Mapping[str, float]:
    if stands is None or stands.strength is None:
        return {"confidence": fact.confidence, "strength": fact.confidence, "frequency": 0.0}
    return {"confidence": fact.confidence, "strength": stands.strength, "frequency": float(stands.frequency)}


def mentions(
    connection: Connection,
    scopes: Sequence[Scope],
    keys: Sequence[Key],
    *,
    most: int,
    before: RememberedEpisode | None = None,
    archived: bool = False,
) -> list[Mention]:
    """Return at most *most* turns of *scopes* that mention the entities *keys*, newest first.

    If *before* is given, only turns before that episode are returned. The order is by position within a scope, and by
    time of receipt across scopes. The entities are searched by all their names in all of the scopes.
    """
    names = _names(connection, keys)
    called = wording(row.name for row in names)
    bounds = [bound(number, scopes, before, LAST, AFTER_ALL) for number in range(len(scopes))]
    asked = {
        "of": [row.scope for row in names],
        "entities": [row.entity for row in names],
        "proper": called.proper,
        "common": called.common,
        "mine": called.mine,
        "facts": MOST_FACTS,
        "archived": archived,
        "most": most,
    }
    rows = _mentioning(connection, asked, [scope.id for scope in scopes], bounds, called)
    found: dict[Scope, list[Mention]] = {scope: [] for scope in scopes}
    scopes_by_id = {scope.id: scope for scope in scopes}
    for row in rows:
        scope = scopes_by_id[row["scope"]]
        found[scope].append(_mention(row, scope, called))
    newest = merge(*reversed(found.values()), key=lambda one: one.episode.received, reverse=True)
    return list(islice(newest, most))


def _mentioning(
    connection: Connection,
    asked: Mapping[str, Any],
    scopes: Sequence[uuid.UUID],
    bounds: Sequence[tuple[int, datetime]],
    called: Wording,
) -> Iterator[Any]:
    """Yield the rows of `queries/mentions`. Postgres cannot match encrypted texts, so these are matched here."""
    if cipher_of(connection) is None:
        where = {"positions": [position for position, _ in bounds], "times": [time for _, time in bounds]}
        yield from execute(connection, "queries/mentions", **asked, **where, scopes=scopes, every=False).mappings()
        return
    for scope, (position, time) in zip(scopes, bounds, strict=True):
        count, more = 0, True
        while more and count < asked["most"]:
            place = {"scopes": [scope], "positions": [position], "times": [time]}
            page = execute(connection, "queries/mentions", **asked, **place, every=True).mappings().all()
            more = bool(page)
            for row in page:
                if count < asked["most"] and (row["facts"] is not None or called.spans(row["content"], row["role"])):
                    count += 1
                    yield row
                position = row["position"]


def _names(connection: Connection, keys: Sequence[Key]) -> Sequence[Any]:
    where = {"scopes": [scope for scope, _ in keys], "entities": [entity for _, entity in keys]}
    return execute(connection, "graph/names/of", **where).all()


def _mention(row: Any, scope: Scope, called: Wording) -> Mention:
    episode = remembered(row, scope)
    spans = called.spans(episode.content, episode.role)
    resting = dict.fromkeys(zip(row["starts"] or (), row["ends"] or (), strict=True))
    return Mention(episode, tuple(spans or resting), tuple(dict.fromkeys(row["facts"] or ())))
