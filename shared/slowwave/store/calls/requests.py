"""The fate of a request after a call: answered, asked again, cut in two, or dead; and whom that wakes."""

from sqlalchemy import Connection

from slowwave.core.backoff import LONGEST_PAUSE_SECONDS
from slowwave.store.statements import sql
from slowwave.store.windows import windows

STRIKES = 5
"""Witnessed failures or vanishings that condemn a request."""
COMPLAINTS = 2
"""Witnessed unreadable replies, the second after the complaint, after which it is cut in two, or dead."""
LONGEST_SECONDS = 12 * LONGEST_PAUSE_SECONDS
"""No back-off, and no wait that a provider asks for, is longer."""


def lock(connection: Connection, request: str) -> str | None:
    """Lock a request; return its state, None where it is not there."""
    found = connection.exec_driver_sql(
        "SELECT state FROM model_requests WHERE request = %(request)s FOR UPDATE", {"request": request}
    ).scalar_one_or_none()
    return None if found is None else str(found)


def answer(connection: Connection, request: str, call: int) -> None:
    """Use the reply of *call*; windows that it completes come due."""
    connection.exec_driver_sql(sql("calls/answered"), {"request": request, "call": call})
    windows.gather(connection, request)


def put_aside(connection: Connection, request: str, call: int, complaint: str) -> None:
    """Number a reply that is not used."""
    connection.exec_driver_sql(
        sql("calls/unused"), {"request": request, "call": call, "complaint": complaint}
    )  # fmt: skip


def again(
    connection: Connection, request: str, what: str, *, seen: bool, wait_seconds: float, cut: bool = False
) -> None:
    """Ask again after *wait_seconds*; *seen* by a witness it counts, and enough of that ends the request.

    One whose reply was *cut* short says too much: it is cut in two at once.
    """
    row = connection.exec_driver_sql(
        sql("calls/again"),
        {"request": request, "what": what, "seen": seen, "wait": wait_seconds, "longest": LONGEST_SECONDS},
    ).one()
    if row.turns > 1 and (cut or row.unreadable >= COMPLAINTS):
        split(connection, request)
    elif row.unreadable >= COMPLAINTS:
        bury(connection, request, "unreadable: no reply about it could be read")
    elif row.failed >= STRIKES:
        bury(connection, request, "failed: asking about it failed again and again")
    elif row.vanished >= STRIKES:
        bury(connection, request, "vanished: whoever asked about it vanished")


def split(connection: Connection, request: str) -> None:
    """Have a request cut in two: its windows are planned anew."""
    connection.exec_driver_sql(
        "UPDATE model_requests SET state = 'split' WHERE request = %(request)s", {"request": request}
    )
    windows.split(connection, request)


def bury(connection: Connection, request: str, reason: str) -> None:
    """End a request without a reply; its window goes on."""
    connection.exec_driver_sql(
        "UPDATE model_requests SET state = 'dead', reason = %(reason)s WHERE request = %(request)s",
        {"request": request, "reason": reason},
    )
    windows.gather(connection, request)
