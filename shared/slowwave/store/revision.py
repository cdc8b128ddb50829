"""The upgrade of a schema revision: runs the .sql file next to the revision's .py file."""

from pathlib import Path

from alembic import op


def run_beside(revision: str) -> None:
    """Run all statements of the .sql file with the same path as the file *revision*."""
    driver = op.get_bind().connection.driver_connection
    assert driver is not None
    driver.execute(Path(revision).with_suffix(".sql").read_text(encoding="utf-8"))


def refuse() -> None:
    """Refuse a downgrade: it would lose acknowledged data."""
    raise RuntimeError("a revision cannot be undone; restore a backup into a new database instead")
