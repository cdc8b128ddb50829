"""`slowwave backup`: the whole database, as a file."""

from pathlib import Path

import click

from slowwave import wiring
from slowwave.cli.options import opened
from slowwave.errors import Incorrect


@click.command
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Write a backup of the embedded database to FILE, while other processes go on.

    FILE is a snapshot of all tenants. It appears when it is complete, and only its owner may read it. `slowwave restore
    FILE` restores the backup. If you run your own Postgres, back it up with pg_dump.
    """
    with opened() as parts:
        if parts.services is None:
            raise Incorrect(
                "SLOWWAVE_URL names your own Postgres: back it up with the pg_dump of its version",
                hint='pg_dump --format=custom --file=FILE "$SLOWWAVE_OWNER_URL"; or `slowwave export` for one tenant',
            )
        wiring.backup(parts.services, file)
    click.echo(f"{file}: {file.stat().st_size / 1e6:.1f} MB")
