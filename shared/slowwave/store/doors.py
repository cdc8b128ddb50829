"""Writing beliefs into a scope from outside a run of that scope: only while nobody works there."""

import uuid
from datetime import datetime

from sqlalchemy import Connection


def open_scope(connection: Connection, scope: uuid.UUID) -> datetime | None:
    """Lock a scope's lease row until the transaction ends; return the last time recorded there.

    Returns None while a worker holds the scope, or somebody else's transaction has the row. Lock several scopes in the
    order of their ids. Served by scope_leases_pkey.
    """
    return connection.exec_driver_sql(
        "SELECT last_recorded FROM scope_leases WHERE scope = %(scope)s "
        "AND (until IS NULL OR until < slowwave_now()) FOR UPDATE SKIP LOCKED",
        {"scope": scope},
    ).scalar_one_or_none()
