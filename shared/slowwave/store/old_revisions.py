"""Databases at one of the 44 old revisions, from before the present numbering. Only the last one can be upgraded."""

from pathlib import Path

from sqlalchemy import Connection

from slowwave.errors import Incorrect

PREFIX = "old-"
"""The prefix that distinguishes the numbers of old revisions from the numbers of present revisions."""
_LAST = "0044"
_LAST_COMMIT = "9e104b72"
"""The last commit that contains all old revisions."""


def old_revision(connection: Connection) -> str | None:
    """Return the database's old revision with the prefix `PREFIX`, or None.

    None means that the database has no revision or a present revision. The numbers of old and of present revisions
    begin at 0001. The index `facts_of_belief` exists only at the last old revision and at present revisions.
    """
    if connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar_one() is None:
        return None
    found = connection.exec_driver_sql(
        "SELECT version_num, to_regclass('facts_of_belief') IS NULL AS older FROM alembic_version"
    ).one_or_none()
    return PREFIX + found.version_num if found and (found.older or found.version_num == _LAST) else None


def adopt(connection: Connection) -> None:
    """Change a database at the last old revision to revision 0001, which has the same schema with other names.

    In the table `revisions`, old rows keep their times, and their numbers get `PREFIX`. *connection* uses
    slowwave_owner. Raises `Incorrect` if the database is at an older revision.
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
