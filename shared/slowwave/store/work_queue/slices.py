"""The slice (a sixteenth of a tenant's scopes) on which a job works."""

from sqlalchemy import Connection

from slowwave.domain.run import Run


def slice_of(connection: Connection, run: Run) -> int:
    """Return the slice of its tenant that *run* works on. Served by the primary key slices_pkey."""
    found = connection.exec_driver_sql(
        "SELECT slice FROM slices WHERE slice_id = %(slice_id)s", {"slice_id": run.scope}
    )
    return int(found.scalar_one())
