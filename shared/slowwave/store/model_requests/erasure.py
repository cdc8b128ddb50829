"""Erasure in model requests: removes erased text from requests and replies, and refuses late replies."""

import uuid
from collections.abc import Sequence

from sqlalchemy import Connection

from slowwave.store.pending_windows import pending_windows
from slowwave.store.statements import sql
from slowwave.store.work_queue import leases


def erase(connection: Connection, scope: uuid.UUID, positions: Sequence[int]) -> list[str]:
    """Erase the text of these *positions* from requests, replies and rejected claims; return the requests.

    Call this in the transaction that erases the episodes. Runs that have read the text are fenced out. A running
    request is closed: its reply is paid for but not stored. Waiting windows and summaries are planned again without the
    erased episodes; replies about other episodes in the same request are erased too. Completed windows stay as they
    are.
    """
    leases.revoke(connection, scope)
    of = {"scope": scope, "positions": list(positions)}
    hit = list(connection.exec_driver_sql(sql("model_requests/lock_of_positions"), of).scalars())
    connection.exec_driver_sql(sql("summaries/reset_tellings"), {**of, "requests": hit})
    if not hit:
        return []
    waiting = sorted({window for request in hit for window in pending_windows.lock_waiting(connection, request)})
    about = {"requests": hit, "scope": scope}
    for statement in (
        "UPDATE model_requests SET state = 'erased' WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_payloads SET words = NULL WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_replies SET raw = NULL, complaint = NULL WHERE request = ANY(%(requests)s::text[])",
        "UPDATE model_rejected SET said = NULL WHERE scope = %(scope)s AND request = ANY(%(requests)s::text[])",
    ):
        connection.exec_driver_sql(statement, about)
    pending_windows.set_stale(connection, waiting)
    for request in hit:
        pending_windows.wake_alone(connection, request)
    return hit
