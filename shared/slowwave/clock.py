"""The host's time, for timeouts and display only. Every time that is stored comes from the database."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the host's idea of the present, in UTC. Never store it."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return seconds that only grow, for measuring how long something took."""
    return time.monotonic()
