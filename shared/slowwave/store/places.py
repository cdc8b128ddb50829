"""Which slice of its tenant a run of a standing job works on."""

from sqlalchemy import Connection

from slowwave.domain.run import Run


def slice_of(connection: Connection, run: Run) -> int:
    """Return the slice, 0 to 15. Served by places_pkey."""
    found = connection.exec_driver_sql("SELECT slice FROM places WHERE place = %(place)s", {"place": run.scope})
    return int(found.scalar_one())
