"""The cache of facts between questions, and of the candidates that questions have read."""

import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection

from slowwave.core.blocks.facts import FactRow, Facts, meant
from slowwave.core.recall.candidate import Candidate
from slowwave.store.blocks.binary_results import execute_binary
from slowwave.store.blocks.block_cache import Edition, ScopeCache, Space, database_of
from slowwave.store.statements import sql

CACHE_BYTES = 64 * 2**20
"""The size limit for all scopes together. The least recently used scopes are dropped first. A fact takes about 3 kB."""
MOST_FACTS = 20_000
"""The most facts of a cached scope. A larger scope is read by a statement, and does not evict all other scopes."""
MOST_MEANINGLESS = 500
"""The most facts without a cached vector whose vectors are looked up for a question."""

Read = dict[int, Candidate]
"""The facts that questions have read with their sources, by their number in the scope, as candidates without
measures."""


@dataclass(frozen=True, slots=True)
class CachedFacts:
    """The facts of a scope, with those that were *read* as candidates before. *edition* changes with the facts."""

    edition: Edition
    facts: Facts
    read: Read = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        return self.facts.nbytes


class FactCache(ScopeCache[CachedFacts]):
    """A cache of the facts of scopes, by scope and embedding space.

    Cached facts are used only if the database confirmed, in the caller's transaction, that no belief has changed since.
    """

    def read(
        self, connection: Connection, editions: Mapping[uuid.UUID, Edition], space: Space
    ) -> dict[uuid.UUID, CachedFacts] | None:
        """Return the facts of scopes in their *editions*; None if a scope has too many facts or too few vectors.

        The caller has read *editions* in the same transaction.
        """
        where = database_of(connection.engine)
        cached = self._cached(where, editions, space)
        stale = [
            scope for scope, edition in editions.items() if scope not in cached or cached[scope].edition != edition
        ]
        if stale:
            read = _read(connection, stale, space, cached, editions)
            if read is None:
                return None
            cached |= read
        found = {scope: cached[scope] for scope in editions}
        if any(one.facts.meaningless for one in found.values()):
            if sum(len(one.facts.meaningless) for one in found.values()) > MOST_MEANINGLESS:
                return None
            found = _vectors_needed(connection, found, space)
        self._keep({(where, scope, space): one for scope, one in found.items()})
        return found

    def _most_bytes(self) -> int:
        return CACHE_BYTES


def _read(
    connection: Connection,
    scopes: Sequence[uuid.UUID],
    space: Space,
    cached: Mapping[uuid.UUID, CachedFacts],
    editions: Mapping[uuid.UUID, Edition],
) -> dict[uuid.UUID, CachedFacts] | None:
    """Return the facts of *scopes*; read the facts that are not cached. Return None if a scope has too many facts."""
    rows = execute_binary(connection, sql("blocks/versions"), {"scopes": list(scopes)})
    versions = {row.scope: row.versions for row in rows}
    if any(len(each) > MOST_FACTS for each in versions.values()):
        return None
    had = {
        scope: cached[scope] for scope in scopes if scope in cached and cached[scope].edition[0] == editions[scope][0]
    }
    wanted = [
        version
        for scope, each in versions.items()
        for version in (set(each) - set(had[scope].facts.versions.tolist()) if scope in had else each)
    ]
    more: dict[uuid.UUID, list[FactRow]] = defaultdict(list)
    if wanted:
        asked = {"versions": wanted, "space": space[0], "dimensions": space[1]}
        for scope, *columns, embedding in execute_binary(connection, sql("blocks/facts"), asked):
            more[scope].append(FactRow(*(*columns, _vector(embedding))))
    found = {}
    for scope in scopes:
        edition, here = editions[scope], set(versions.get(scope, ()))
        if scope in had:
            facts = had[scope].facts.then(here, more[scope])
            before = {had[scope].facts.rows[at].version: one for at, one in list(had[scope].read.items())}
            read = {at: one for at, row in enumerate(facts.rows) if (one := before.get(row.version))}
            found[scope] = CachedFacts(edition, facts, read)
        else:
            found[scope] = CachedFacts(edition, Facts.laid(more[scope], space[1]))
    return found


def _vectors_needed(
    connection: Connection, found: Mapping[uuid.UUID, CachedFacts], space: Space
) -> dict[uuid.UUID, CachedFacts]:
    """Return *found*, with the vectors that were stored since the facts were cached."""
    lacking = [(scope, fact) for scope, one in found.items() for fact in one.facts.meaningless]
    of_scopes, facts = zip(*lacking, strict=True)
    asked = {"of_scopes": list(of_scopes), "facts": list(facts), "space": space[0], "dimensions": space[1]}
    rows = execute_binary(connection, sql("blocks/meanings"), asked)
    vectors = {row.fact: vector for row in rows if (vector := _vector(row.embedding)) is not None}
    if not vectors:
        return dict(found)
    return {
        scope: CachedFacts(one.edition, Facts.laid(meant(one.facts.rows, vectors), space[1]), one.read)
        for scope, one in found.items()
    }


def _vector(embedding: bytes | None) -> NDArray[Any] | None:
    return None if embedding is None else np.frombuffer(embedding, ">f4", offset=4).astype(np.float32)


FACT_CACHE = FactCache()
"""The cache of facts of this process."""
