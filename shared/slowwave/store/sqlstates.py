"""SQLSTATEs by who must act when Postgres refuses: one table for every error, which decides by nothing else."""

from typing import Literal

Refusal = Literal["unavailable", "conflict", "incorrect", "unprepared", "fault"]
"""Whose turn it is: nobody's but time's, the loser's of a race, the asker's, the operator's, or ours."""

READ_ONLY = "25006"
"""A standby after a failover, or a provider that guards a full disk."""

_BY_STATE: dict[str, Refusal] = {
    "23505": "conflict",  # somebody wrote the same key first
    READ_ONLY: "unavailable",
    "25P03": "unavailable",  # idle in a transaction for too long
    "25P04": "unavailable",  # a transaction for too long
    "42501": "unprepared",  # a grant is missing
    "42703": "unprepared",  # a column
    "42883": "unprepared",  # a function
    "42P01": "unprepared",  # a table
    "55006": "unavailable",  # in use just now
    "55P03": "unavailable",  # locked just now
}
_BY_CLASS: dict[str, Refusal] = {
    "08": "unavailable",  # the connection
    "22": "incorrect",  # a value that cannot be held
    "3D": "unprepared",  # no such database
    "3F": "unprepared",  # no such schema
    "40": "conflict",  # rolled back: a deadlock, a serialization failure
    "53": "unavailable",  # no disk, no memory, no connection left
    "54": "incorrect",  # a value larger than an index or a text search takes
    "57": "unavailable",  # shutting down, starting, cancelled, out of time
    "58": "unavailable",  # the disk or the system underneath
    "72": "unavailable",  # a snapshot that was kept for too long
    "F0": "unavailable",  # its files of configuration
}


def refusal(state: str) -> Refusal:
    """Return whose turn it is after SQLSTATE *state*; what nobody foresaw is a fault of ours.

    >>> refusal("53100"), refusal("53999"), refusal("XX000")
    ('unavailable', 'unavailable', 'fault')
    """
    return _BY_STATE.get(state) or _BY_CLASS.get(state[:2], "fault")
