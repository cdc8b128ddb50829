"""The host's clock, for timeouts and display only. All stored times come from the database."""

import time
from datetime import UTC, datetime


def now() -> datetime:
    """Return the host's current time, in UTC. Never store this time."""
    return datetime.now(UTC)


def monotonic() -> float:
    """Return the seconds of a monotonic clock, to measure durations."""
    return time.monotonic()
