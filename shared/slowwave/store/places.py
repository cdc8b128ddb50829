"""Where a standing job works, and what time it is there."""

from datetime import datetime

from sqlalchemy import Connection

from slowwave.domain.run import Run


def slice_of(connection: Connection, run: Run) -> int:
    """Return which slice of its tenant *run* works on. Served by places_pkey."""
    found = connection.exec_driver_sql("SELECT slice FROM places WHERE place = %(place)s", {"place": run.scope})
    return int(found.scalar_one())


def time_of(connection: Connection) -> datetime:
    """Return the database's time."""
    now = connection.exec_driver_sql("SELECT slowwave_now()").scalar_one()
    assert isinstance(now, datetime)
    return now
