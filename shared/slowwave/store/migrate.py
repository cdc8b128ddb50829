"""Bring a database's schema up to date, and say how far it is."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import ProgrammingError

from slowwave.errors import Incorrect
from slowwave.store.database import translated

_LOCK = 0x510_3A7E
"""Two processes that migrate at once queue here."""


def migrate(owner: Engine) -> None:
    """Run every revision the database lacks and make partitions 30 days ahead, in one transaction.

    *owner* connects as slowwave_owner.
    """
    try:
        with translated(), owner.begin() as connection:
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(key)s)", {"key": _LOCK})
            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            connection.exec_driver_sql("GRANT SELECT ON alembic_version TO slowwave_app, slowwave_dispatch")
            connection.exec_driver_sql("SELECT slowwave_make_partitions(interval '30 days')")
    except ProgrammingError as error:
        if not isinstance(error.orig, InsufficientPrivilege):
            raise
        raise Incorrect(
            "This login may not change the schema.",
            hint="set SLOWWAVE_OWNER_URL to the database's address as the login slowwave_owner",
        ) from error


def revisions(connection: Connection) -> tuple[str | None, str | None]:
    """Return the revision the database is at, and the one this version of Slowwave needs."""
    return MigrationContext.configure(connection).get_current_revision(), ScriptDirectory.from_config(
        _config()
    ).get_current_head()


def require_current(connection: Connection) -> None:
    """Raise `Incorrect` when the database lacks revisions. *connection* may act as any of our roles."""
    at, needed = revisions(connection)
    if at != needed:
        raise Incorrect(
            f"the database is at revision {at or 'none'}, and this version of Slowwave needs {needed}",
            hint="run `slowwave db migrate` with SLOWWAVE_OWNER_URL set to the database as slowwave_owner",
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return config
