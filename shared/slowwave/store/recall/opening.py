"""The opening of a recall: runs what every question needs in one round trip, and sets generic plans for the rest."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from sqlalchemy import Connection

from slowwave.core.beliefs.wording import NAME
from slowwave.domain.job_table import PREPARE, pack_of
from slowwave.retrieval.question import QUESTION_CHARACTERS, UNPREPARED, Query
from slowwave.store.blocks.binary_results import Asked, execute, sent_ahead
from slowwave.store.blocks.block_cache import BLOCK_CACHE, database_of
from slowwave.store.fingerprints import Fingerprinter
from slowwave.store.graph import relation_walk
from slowwave.store.recall import words
from slowwave.store.statements import sql


@contextmanager
def opened(connection: Connection, query: Query | None) -> Iterator[None]:
    """Run the statements that every *query* needs in one round trip, before the block; without a query, run none."""
    if query is None:
        yield
        return
    here, *_ = query.meanings
    space = here.space, len(here.vector) if here.vector.any() else 0
    asked = [
        asks_for_unprepared(query.ids, UNPREPARED, QUESTION_CHARACTERS),
        asks_for_names(connection, query.tenant, query.ids),
        relation_walk.asks(query.ids, query.question),
        words.asks(connection, query.question, query.near_words),
        BLOCK_CACHE.asks(connection, list(dict.fromkeys(here.ids)), space, query.now),
    ]
    with sent_ahead(connection, asked):
        yield


def asks_for_unprepared(scopes: Sequence[uuid.UUID], most: int, characters: int) -> Asked:
    """Return the statement for the *most* newest unprepared episodes of *scopes*, the first *characters* of each."""
    asked = {"scopes": list(scopes), "pack": pack_of(PREPARE), "most": most, "characters": characters}
    return sql("recall/unprepared"), asked


_KEYS: dict[tuple[str, str], bytes] = {}
"""The keys of fingerprints by database and tenant, as they were last read."""


def names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the name of the user of each of *scopes*; omit unknown names.

    Later statements of the transaction use generic plans: all look up by key, and planning each would take longer.
    """
    whose = database_of(connection.engine), tenant
    while True:
        key = _KEYS.get(whose)
        rows = execute(connection, *asks_for_names(connection, tenant, scopes))
        if not rows:
            return {}  # the tenant has no memories
        if key == rows[0].fingerprint_key:
            return {row.scope: row.name for row in rows if row.scope is not None}
        _KEYS[whose] = rows[0].fingerprint_key


def asks_for_names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID]) -> Asked:
    """Return the statement that `names` runs, with its parameters."""
    key = _KEYS.get((database_of(connection.engine), tenant))
    return sql("recall/opening"), {"scopes": list(scopes), "digest": b"" if key is None else _digest(key)}


@lru_cache
def _digest(key: bytes) -> bytes:
    return Fingerprinter(key).belief(NAME)
