"""The upgrade of a schema revision, which runs the .sql files next to the revision's .py file."""

from pathlib import Path

from alembic import op


def run_beside(revision: str) -> None:
    """Run all statements of the files of a revision: `0001_name.sql`, or `0001_name/*.sql` in the order of their names.

    *revision* is the path of the revision's .py file.
    """
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    path = Path(revision)
    for statements in sorted(path.with_suffix("").glob("*.sql")) or [path.with_suffix(".sql")]:
        driver.execute(statements.read_text(encoding="utf-8"))
