"""Migrations of the database schema, and the current revision of a database."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg.errors import InsufficientPrivilege
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from slowwave.domain.partition import Partition
from slowwave.errors import Conflict, Incorrect, Unavailable, Unprepared
from slowwave.runtime.extras import needed
from slowwave.store.database import translated
from slowwave.store.retention import partitions
from slowwave.store.retention.partitions import DAYS_AHEAD

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

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


_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x510_3A7E
"""The advisory lock under which one process at a time migrates."""
_ATTEMPTS = 10
"""How often a migration is tried if deadlocks with running work stop it."""


def migrate(owner: Engine) -> None:
    """Apply every missing revision in one transaction, and create partitions 30 days ahead in one transaction each.

    *owner* connects as slowwave_owner. Safe to repeat. Raises `Unavailable` if running work keeps a table locked.
    """
    try:
        with translated(), owner.begin() as connection:
            at, newest = revisions(connection)
        if at != newest:
            upgrade(owner)
        _make_partitions(owner)
    except Unprepared as error:
        cause = error.__cause__
        if not isinstance(cause.orig if isinstance(cause, DBAPIError) else cause, InsufficientPrivilege):
            raise
        raise Incorrect(
            "This login may not change the schema.",
            hint="set SLOWWAVE_OWNER_URL to the database's address as the login slowwave_owner",
        ) from error


def upgrade(owner: Engine) -> None:
    """Apply every missing revision in one transaction, and try again after a deadlock with running work.

    Raises `Incorrect` if the required extra is missing, and `Unavailable` if running work keeps a table locked.
    """
    for left in reversed(range(_ATTEMPTS)):
        try:
            _upgrade(owner)
            break
        except Conflict as error:
            if not left:
                raise _hindered() from error


def _upgrade(owner: Engine) -> None:
    with needed():
        from alembic import command
        from alembic.script import ScriptDirectory
    with translated(), owner.begin() as connection:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(%(key)s)", {"key": _LOCK})
        adopt(connection)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.exec_driver_sql("GRANT SELECT ON alembic_version TO slowwave_app, slowwave_dispatch")
        _write_down(connection, ScriptDirectory.from_config(config))


def _hindered() -> Unavailable:
    return Unavailable(
        f"Running work blocked the migration {_ATTEMPTS} times; nothing was changed.",
        retry_after_seconds=10,
        hint="run `slowwave db migrate` again, or stop the workers first",
    )


def _write_down(connection: Connection, scripts: "ScriptDirectory") -> None:
    """Store the applied revisions, each with its time.

    A revision applied before the table existed gets the time at which the table was created.
    """
    for script in scripts.walk_revisions():
        connection.exec_driver_sql(
            "INSERT INTO revisions (version, description) VALUES (%(version)s, %(description)s) ON CONFLICT DO NOTHING",
            {"version": script.revision, "description": script.doc},
        )


def _make_partitions(owner: Engine) -> None:
    def once(partition: Partition) -> int:
        with translated(), owner.begin() as connection:
            return partitions.make(connection, partition)

    with translated(), owner.begin() as connection:
        missing = partitions.missing(connection, days_ahead=DAYS_AHEAD)
    for partition in missing:
        partitions.patiently(partial(once, partition))


def revisions(connection: Connection) -> tuple[str | None, str | None]:
    """Return the database's revision, and the revision that this version of Slowwave needs.

    A revision of the old numbering, from before the present revision 0001, has a prefix.
    """
    known = connection.exec_driver_sql("SELECT to_regclass('alembic_version')").scalar_one()
    at = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() if known else None
    at = old_revision(connection) or at
    newest = max(path.name for path in (_MIGRATIONS / "versions").glob("[0-9]*.py"))
    return at, newest.partition("_")[0]


def is_ahead(at: str | None, needed: str | None) -> bool:
    """Return whether the revision *at* is newer than the revision *needed*."""
    return at is not None and needed is not None and not at.startswith(PREFIX) and at > needed


def require_current(connection: Connection) -> None:
    """Raise `Incorrect` if the database lacks revisions. *connection* may have any role."""
    at, needed = revisions(connection)
    if at != needed:
        raise Incorrect(
            f"the database is at revision {at or 'none'}, and this version of Slowwave needs {needed}",
            hint="run `slowwave db migrate` with SLOWWAVE_OWNER_URL set to the database as slowwave_owner",
        )


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config
