"""The opening of a recall: the names of users, and the mode in which its later statements are planned."""

import uuid
from collections.abc import Sequence
from functools import lru_cache

from sqlalchemy import Connection

from slowwave.core.beliefs.wording import NAME
from slowwave.store.blocks.binary_results import execute
from slowwave.store.blocks.block_cache import database_of
from slowwave.store.fingerprints import Fingerprinter
from slowwave.store.statements import sql

_KEYS: dict[tuple[str, str], bytes] = {}
"""The keys of fingerprints by database and tenant, as they were last read."""


def names(connection: Connection, tenant: str, scopes: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the name of the user of each of *scopes*; omit unknown names.

    The later statements of the transaction are planned once for any values: all look up by key, and planning them
    would take longer.
    """
    whose = database_of(connection.engine), tenant
    key = _KEYS.get(whose)
    while True:
        asked = {"scopes": list(scopes), "digest": b"" if key is None else _digest(key)}
        rows = execute(connection, sql("recall/opening"), asked)
        if not rows:
            return {}  # the tenant has no memories
        if key == rows[0].fingerprint_key:
            return {row.scope: row.name for row in rows if row.scope is not None}
        key = _KEYS[whose] = rows[0].fingerprint_key


@lru_cache
def _digest(key: bytes) -> bytes:
    return Fingerprinter(key).belief(NAME)
