"""Legal holds: no job archives, expires, tombstones, drops or fades a memory under a hold.

A statement that removes memories leaves out the memories that the SQL function `slowwave_legal_holds` reports as under
a hold. These memories stay due, and are removed after the hold has ended. Code that decides scope by scope calls
`under_legal_hold`.
"""

import uuid
from collections.abc import Collection

from sqlalchemy import Connection

from slowwave.domain.retention import Hold
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.store.audit import log as audit
from slowwave.store.encryption.tenant_keys import encrypted_text
from slowwave.store.statements import exists


def under_legal_hold(connection: Connection, scopes: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Return those of *scopes* that are under a legal hold. All *scopes* belong to the connection's tenant.

    Served by legal_holds_in_force.
    """
    found = connection.exec_driver_sql(
        "SELECT scope FROM unnest(%(scopes)s::uuid[]) AS asked (scope) "
        "WHERE EXISTS (SELECT FROM slowwave_legal_holds(slowwave_tenant(), asked.scope))",
        {"scopes": list(scopes)},
    )
    return set(found.scalars())


def any_in_force(connection: Connection) -> bool:
    """Return whether the connection's tenant has any legal hold in force. Served by legal_holds_in_force."""
    return exists(connection, "FROM legal_holds WHERE tenant = slowwave_tenant() AND released IS NULL")


def add(connection: Connection, scope: uuid.UUID | None, reason: str) -> int:
    """Place a legal hold on a scope, or on all of the connection's tenant; return the number of the hold.

    Raises `Incorrect` without a reason, and `NotFound` for a scope without memories.
    """
    if not reason.strip():
        raise Incorrect.listing("the hold", ["reason: is empty"], hint="say who asked for it and why: it is audited")
    known = "SELECT FROM scope_heads WHERE scope = %(scope)s"
    if scope is not None and not connection.exec_driver_sql(known, {"scope": scope}).rowcount:
        raise NotFound("nothing is remembered there", hint="hold the whole tenant to cover future memories")
    number = connection.exec_driver_sql(
        "INSERT INTO legal_holds (tenant, scope, reason) VALUES (slowwave_tenant(), %(scope)s, %(reason)s) "
        "RETURNING hold",
        {"scope": scope, "reason": encrypted_text(connection, reason)},
    ).scalar_one()
    audit.log_write(
        connection, "store", audit.ALL, scope=scope, detail={"action": "hold", "hold": number, "reason": reason}
    )
    return int(number)


def release(connection: Connection, hold: int) -> bool:
    """Release a legal hold; return whether the hold was in force. Raises `NotFound` if the tenant never had the
    hold.
    """
    row = connection.exec_driver_sql(
        "UPDATE legal_holds SET released = slowwave_now() WHERE hold = %(hold)s AND released IS NULL RETURNING scope",
        {"hold": hold},
    ).one_or_none()
    if row is not None:
        audit.log_write(connection, "update", audit.ALL, scope=row.scope, detail={"action": "release", "hold": hold})
        return True
    known = connection.exec_driver_sql("SELECT FROM legal_holds WHERE hold = %(hold)s", {"hold": hold}).rowcount
    if not known:
        raise NotFound(f"there is no hold {hold}", hint="`slowwave archive holds` lists them")
    return False


def listing(connection: Connection) -> list[Hold]:
    """Return all legal holds that the connection's tenant has or had. Holds in force come first, then the
    latest holds.
    """
    rows = connection.exec_driver_sql(
        "SELECT h.hold, h.reason, h.placed, h.released, s.tenant, s.user_id, s.agent, s.channel FROM legal_holds h "
        "LEFT JOIN scope_heads s USING (scope) ORDER BY h.released IS NOT NULL, h.placed DESC, h.hold DESC"
    )
    return [
        Hold(
            row.hold,
            None if row.user_id is None else Scope(row.tenant, row.user_id, row.agent, row.channel),
            row.reason,
            row.placed,
            row.released,
        )
        for row in rows
    ]
