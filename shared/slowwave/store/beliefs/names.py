"""Names of users: what the user of a scope is called, as far as that is held."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.core.beliefs.wording import NAME
from slowwave.store.fingerprints import Fingerprinter, known_fingerprinter
from slowwave.store.statements import sql


def names_of_users(connection: Connection, scopes: Sequence[uuid.UUID]) -> dict[uuid.UUID, str]:
    """Return what the user of each of *scopes* is called: held there, else everywhere; none where it is not known."""
    prints = known_fingerprinter(connection)
    return names_held(connection, scopes, prints) if prints else {}  # else nobody has told the tenant anything


def names_held(connection: Connection, scopes: Sequence[uuid.UUID], prints: Fingerprinter) -> dict[uuid.UUID, str]:
    """Return the same of a tenant whose *prints* are at hand."""
    asked = {"scopes": list(scopes), "digest": prints.belief(NAME)}
    return {row.scope: row.name for row in connection.exec_driver_sql(sql("beliefs/names"), asked)}
