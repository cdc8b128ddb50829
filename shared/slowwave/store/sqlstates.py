"""The SQLSTATEs of Postgres, by who must react to the error. No other code classifies database errors."""

from typing import Literal

Refusal = Literal["unavailable", "conflict", "incorrect", "unprepared", "fault"]
"""The classes by who must act, in this order: nobody, the loser of a race, the caller, the operator, the developers."""

READ_ONLY = "25006"
"""The SQLSTATE of a standby after a failover, or of a read-only mode that protects a full disk."""

ELSEWHERE = "SW001"
"""The SQLSTATE of a transaction whose tenant is not in this cell."""

_BY_STATE: dict[str, Refusal] = {
    "23505": "conflict",  # another transaction inserted the same key first
    "23P01": "conflict",  # another transaction opened a version of the same belief first
    READ_ONLY: "unavailable",
    "25P03": "unavailable",  # idle in a transaction for too long
    "25P04": "unavailable",  # in a transaction for too long
    "42501": "unprepared",  # a grant is missing
    "42703": "unprepared",  # no such column
    "42883": "unprepared",  # no such function
    "42P01": "unprepared",  # no such table
    "55006": "unavailable",  # the object is in use now
    "55P03": "unavailable",  # the row or table is locked now
}
_BY_CLASS: dict[str, Refusal] = {
    "08": "unavailable",  # connection error
    "22": "incorrect",  # a value that cannot be stored
    "3D": "unprepared",  # no such database
    "3F": "unprepared",  # no such schema
    "40": "conflict",  # rolled back: a deadlock, a serialization failure
    "53": "unavailable",  # no disk, no memory, no connection left
    "54": "incorrect",  # a value larger than an index or a text search takes
    "57": "unavailable",  # shutting down, starting, cancelled, out of time
    "58": "unavailable",  # the disk or the system underneath
    "72": "unavailable",  # a snapshot that is too old
    "F0": "unavailable",  # configuration file error
}


def refusal(state: str) -> Refusal:
    """Return the class of SQLSTATE *state*. An unknown state is a fault of Slowwave's code.

    >>> refusal("53100"), refusal("53999"), refusal("XX000")
    ('unavailable', 'unavailable', 'fault')
    """
    return _BY_STATE.get(state) or _BY_CLASS.get(state[:2], "fault")
