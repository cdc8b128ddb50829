"""The desk's part of an erasure: no word of the erased stays in what was asked or answered, and none comes back."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.store.claims import leases
from slowwave.store.statements import sql
from slowwave.store.windows import windows


def erase(connection: Connection, scope: uuid.UUID, positions: Sequence[int]) -> list[str]:
    """Erase what requests, replies and rejected claims hold of these *positions*; return the requests, for the receipt.

    To be called in the transaction that erases the episodes. Runs that have read the words are fenced out. A request
    that is under way is closed: its reply, when it comes, is paid and not kept. Waiting windows are planned anew
    without the erased, and so are summaries; a neighbour's reply in the same request goes too. Done windows stay as
    they were cut.
    """
    leases.fence_out(connection, scope)
    of = {"scope": scope, "positions": list(positions)}
    hit = list(connection.exec_driver_sql(sql("desk/carrying"), of).scalars())
    connection.exec_driver_sql(sql("summaries/reset_tellings"), {**of, "requests": hit})
    if not hit:
        return []
    waiting = sorted({window for request in hit for window in windows.lock_waiting(connection, request)})
    about = {"requests": hit, "scope": scope}
    for statement in (
        "UPDATE model_requests SET state = 'erased' WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_payloads SET words = NULL WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_replies SET raw = NULL, complaint = NULL WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_rejected SET said = NULL WHERE scope = %(scope)s AND request = ANY(%(requests)s::text[])",
    ):
        connection.exec_driver_sql(statement, about)
    windows.set_stale(connection, waiting)
    for request in hit:
        windows.wake_alone(connection, request)
    return hit
