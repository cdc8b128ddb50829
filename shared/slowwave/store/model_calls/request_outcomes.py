"""The state of a request after a call: answered, pending again, split, or dead; and the windows that this wakes."""

from sqlalchemy import Connection

from slowwave.core.backoff import LONGEST_PAUSE_SECONDS
from slowwave.store.pending_windows import pending_windows
from slowwave.store.statements import sql

STRIKES = 5
"""The failures, or vanished senders, after which a request is dead. They count only if another request succeeded."""
COMPLAINTS = 2
"""The unreadable replies after which a request is split or dead. They count only if another request succeeded."""
LONGEST_SECONDS = 60 * LONGEST_PAUSE_SECONDS
"""The longest back-off, in seconds. Longer waits that a provider asks for are cut."""


def lock(connection: Connection, request: str) -> str | None:
    """Lock a request; return its state, None if it does not exist."""
    found = connection.exec_driver_sql(
        "SELECT state FROM model_requests WHERE request = %(request)s FOR UPDATE", {"request": request}
    ).scalar_one_or_none()
    return None if found is None else str(found)


def answer(connection: Connection, request: str, call: int) -> None:
    """Use the reply of *call*; windows that it completes become due."""
    connection.exec_driver_sql(sql("model_calls/set_answered"), {"request": request, "call": call})
    pending_windows.wake_complete(connection, request)


def put_aside(connection: Connection, request: str, call: int, complaint: str) -> None:
    """Store that the reply of *call* is not used, with the *complaint* about the reply."""
    connection.exec_driver_sql(
        sql("model_calls/set_reply_unused"), {"request": request, "call": call, "complaint": complaint}
    )  # fmt: skip


def again(
    connection: Connection, request: str, what: str, *, seen: bool, wait_seconds: float, cut: bool = False
) -> None:
    """Make a request pending again after *wait_seconds*, or end it after too many failures.

    A failure counts only if *seen*: another request got a readable reply meanwhile.

    A *cut* reply means that the request is too large, so it is split at once.
    """
    row = connection.exec_driver_sql(
        sql("model_calls/retry_later"),
        {"request": request, "what": what, "seen": seen, "wait": wait_seconds, "longest": LONGEST_SECONDS},
    ).one()
    if row.turns > 1 and (cut or row.unreadable >= COMPLAINTS):
        split(connection, request)
    elif row.unreadable >= COMPLAINTS:
        bury(connection, request, "unreadable: no reply about it could be read")
    elif row.failed >= STRIKES:
        bury(connection, request, "failed: asking about it failed again and again")
    elif row.vanished >= STRIKES:
        bury(connection, request, "vanished: every process that asked about it vanished")


def split(connection: Connection, request: str) -> None:
    """Mark a request for splitting: its windows are planned again."""
    connection.exec_driver_sql(
        "UPDATE model_requests SET state = 'split' WHERE request = %(request)s", {"request": request}
    )
    pending_windows.split(connection, request)


def bury(connection: Connection, request: str, reason: str) -> None:
    """End a request without a reply; its windows continue without one."""
    connection.exec_driver_sql(
        "UPDATE model_requests SET state = 'dead', reason = %(reason)s WHERE request = %(request)s",
        {"request": request, "reason": reason},
    )
    pending_windows.wake_complete(connection, request)
