"""Databases made by the 44 revisions that preceded revision 0001: the last one is adopted, older ones are refused."""

from pathlib import Path

from sqlalchemy import Connection

from slowwave.errors import Incorrect

PREFIX = "old-"
"""What distinguishes the numbers of the old revisions from those of today."""
_LAST = "0044"
_LAST_COMMIT = "9e104b72"
"""The last commit with all the old revisions."""


def old_revision(connection: Connection) -> str | None:
    """Return the old revision of the database with `PREFIX`, or None if it is at a revision of today, or at none.

    The numbers start again at 0001. The index that the last old revision made tells one 0001 from the other.
    """
    if connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar_one() is None:
        return None
    found = connection.exec_driver_sql(
        "SELECT version_num, to_regclass('facts_of_belief') IS NULL AS older FROM alembic_version"
    ).one_or_none()
    return PREFIX + found.version_num if found and (found.older or found.version_num == _LAST) else None


def adopt(connection: Connection) -> None:
    """Bring a database at the last old revision to revision 0001, which has the same schema with better names.

    Rows of the table revisions keep their times, under the number with `PREFIX`. *connection* uses slowwave_owner.
    Raises `Incorrect` if the database is at an older revision.
    """
    at = old_revision(connection)
    if at is None:
        return
    if at != PREFIX + _LAST:
        number = at.removeprefix(PREFIX)
        raise Incorrect(
            f"the database is at the old revision {number}, which this version of Slowwave cannot upgrade",
            hint=f"run `slowwave db migrate` with commit {_LAST_COMMIT}, which upgrades it to {_LAST}, then with this "
            "version; or run `slowwave export` with the version that made it, and `slowwave import` here",
        )
    statements = (Path(__file__).parent / "migrations" / "adopt_0044.sql").read_text(encoding="utf-8")
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.execute(statements)
