"""Backup and restore of the embedded database, in a file."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from slowwave.errors import Conflict, Incorrect
from slowwave.settings import Settings
from slowwave.store.moving.digests import digests
from slowwave.wiring.reaching import open_parts

if TYPE_CHECKING:
    from slowwave.embedded import EmbeddedServices


def backup(services: "EmbeddedServices", file: Path) -> None:
    """Write the whole database of *services* to *file*, which appears when it is whole."""
    from slowwave.embedded.dumps import dump

    dump(services.postgres, file.absolute())


def restore(settings: Settings, file: Path, *, replace: bool = False) -> Mapping[str, str]:
    """Put the backup *file* into the home that *settings* name, migrated; return the digest of each tenant's beliefs.

    Raises `Conflict` where a database lies there already and *replace* does not give it up, and `Incorrect` for a file
    that is no whole backup: then the home is as it was.
    """
    from slowwave.embedded import PostgresServer
    from slowwave.embedded.account import Account
    from slowwave.embedded.dumps import restore as put_back

    if settings.url is not None:
        raise Incorrect(
            "SLOWWAVE_URL names a Postgres of your own, into which its own pg_restore puts a backup",
            hint="unset it for the embedded database; or createdb, then pg_restore --dbname=NEW FILE",
        )
    if not file.is_file():
        raise Incorrect(f"{file} is no file")
    home = settings.home.resolve()
    server = PostgresServer(home / "postgres")
    if server.data.exists() and not replace:
        raise Conflict(
            f"in {home} lies a database already", hint="name an empty home in SLOWWAVE_HOME, or --replace what is there"
        )
    Account.choose(home).settle_in(home)
    with server:
        put_back(server, file.absolute())
        parts = open_parts(settings)
        try:
            return digests(parts.database)
        finally:
            parts.close()
