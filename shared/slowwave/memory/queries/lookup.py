"""The look-up of memories by name. A name is an id, a unique prefix of an id, or the agent's own key of an episode."""

import uuid
from collections.abc import Sequence

from slowwave.domain.arguments import id_of
from slowwave.domain.fact import Fact
from slowwave.domain.queries.episode import RememberedEpisode
from slowwave.domain.scope import Scope
from slowwave.errors import NotFound
from slowwave.store.beliefs.facts import facts
from slowwave.store.queries.episodes import by_ids
from slowwave.wiring import Parts

NamedMemories = RememberedEpisode | Fact


def episode_named(parts: Parts, scopes: Sequence[Scope], name: uuid.UUID | str) -> RememberedEpisode:
    """Return the episode in *scopes* whose id, id prefix or key is *name*.

    If several scopes have an episode with this key, returns the episode of the first scope. Raises `NotFound`, also for
    expired episodes.
    """
    found = _by_key(parts, scopes, name) or _by_beginning(parts, scopes, name)
    if found is None:
        raise NotFound(f"there is no episode {name} here", hint="`slowwave recent` lists episodes with their ids")
    return found


def memories_named(parts: Parts, scopes: Sequence[Scope], names: Sequence[uuid.UUID | str]) -> list[NamedMemories]:
    """Return the episodes and facts of *scopes* with these *names*, in the order of *names*.

    Raises `NotFound` with the names that match no memory, or only an expired memory.
    """
    known = _known(parts, scopes, [id_ for name in names if (id_ := id_of(name))])
    found = {
        name: known.get(id_) if (id_ := id_of(name)) else _by_key_or_prefix(parts, scopes, str(name)) for name in names
    }
    missing = ", ".join(str(name) for name, one in found.items() if one is None)
    if missing:
        raise NotFound(f"no memory here has the id {missing}", hint="`slowwave search-index` shows the ids")
    return [one for one in found.values() if one is not None]


def fact_id(parts: Parts, fact: uuid.UUID | str, tenant: str) -> uuid.UUID:
    """Return the id of a fact from an id, a string or a prefix. Raises the errors of `PostgresQueries.fact`."""
    return id_of(fact) or parts.records.fact(tenant, str(fact))


def _by_key_or_prefix(parts: Parts, scopes: Sequence[Scope], name: str) -> NamedMemories | None:
    """Return the memory whose key or id prefix is *name*."""
    if found := _by_key(parts, scopes, name) or _by_beginning(parts, scopes, name):
        return found
    try:
        id_ = parts.records.fact(scopes[0].tenant, name)
    except NotFound:
        return None
    return _known(parts, scopes, [id_]).get(id_)


def _known(parts: Parts, scopes: Sequence[Scope], ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, NamedMemories]:
    with parts.database.tenant(scopes[0].tenant) as connection:
        episodes = by_ids(connection, scopes, ids)
        named_facts = facts(connection, [scope.id for scope in scopes], named=ids, everything=True)
    known: list[NamedMemories] = [*episodes, *sorted(named_facts, key=lambda fact: fact.valid_from)]
    return {one.id: one for one in known}


def _by_key(parts: Parts, scopes: Sequence[Scope], name: uuid.UUID | str) -> RememberedEpisode | None:
    ids = [id_ for id_ in (id_of(name), *(scope.episode_id(str(name)) for scope in scopes)) if id_]
    with parts.database.tenant(scopes[0].tenant) as connection:
        found = by_ids(connection, scopes, ids)
    return min(found, key=lambda one: scopes.index(one.scope), default=None)


def _by_beginning(parts: Parts, scopes: Sequence[Scope], name: uuid.UUID | str) -> RememberedEpisode | None:
    one = parts.records.episode(scopes[0].tenant, str(name))
    return None if one is None else _by_key(parts, scopes, one.id)
