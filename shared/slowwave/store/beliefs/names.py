"""Names of users: the name of a scope's user, if a fact gives it."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.beliefs.wording import NAME
from slowwave.store.blocks.binary_results import execute
from slowwave.store.fingerprints import Fingerprinter, known_fingerprinter
from slowwave.store.statements import sql


def names_of_users(connection: Connection, scopes: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return the name of the user of each of *scopes*, from that scope, else from `_global`; omit unknown names."""
    prints = known_fingerprinter(connection)
    return loaded_names(connection, scopes, prints) if prints else {}  # without prints, the tenant has no facts


def loaded_names(connection: Connection, scopes: Sequence[uuid.UUID], prints: Fingerprinter) -> dict[uuid.UUID, str]:
    """Return the names for a tenant whose *prints* (fingerprinter) are loaded already."""
    asked = {"scopes": list(scopes), "digest": prints.belief(NAME)}
    return {row.scope: row.name for row in execute(connection, sql("beliefs/names"), asked)}
