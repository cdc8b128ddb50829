"""Backup and restore of the embedded database, as a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave.errors import Conflict, Incorrect
from slowwave.settings import Settings
from slowwave.wiring.connections import open_parts

if TYPE_CHECKING:
    from slowwave.embedded_services import EmbeddedServices


def backup(services: "EmbeddedServices", file: Path) -> None:
    """Write the whole database of *services* to *file*. The file appears only when the backup is complete."""
    from slowwave.embedded_services.backups import dump

    dump(services.postgres, file.absolute())


def restore(settings: Settings, file: Path, *, replace: bool = False) -> Mapping[str, str]:
    """Restore the backup *file* into the home folder of *settings*, and migrate the schema; return the digests by
    tenant.

    Raises `Conflict` if a database exists there and *replace* is false, and `Incorrect` if the file is not a complete
    backup. After either error, the home folder is unchanged.
    """
    from slowwave.embedded_services import PostgresServer
    from slowwave.embedded_services.backups import restore as put_back
    from slowwave.embedded_services.os_user import Account
    from slowwave.store.beliefs.digest import digests

    if not settings.embedded:
        raise Incorrect(
            "SLOWWAVE_URL names a Postgres of your own: restore the backup with its pg_restore",
            hint="unset it to use the embedded database; or run createdb, then pg_restore --dbname=NEW FILE",
        )
    if not file.is_file():
        raise Incorrect(f"{file} is not a file")
    home = settings.home.resolve()
    server = PostgresServer(home / "postgres")
    if server.data.exists() and not replace:
        raise Conflict(
            f"{home} holds a database already",
            hint="name an empty home in SLOWWAVE_HOME, or replace the database with --replace",
        )
    Account.choose(home).settle_in(home)
    with server:
        put_back(server, file.absolute())
        parts = open_parts(settings)
        try:
            return digests(parts.database)
        finally:
            parts.close()
