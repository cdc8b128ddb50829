"""`slowwave restore`: restores a backup."""

from pathlib import Path

import click

from slowwave import wiring
from slowwave.wiring import Settings


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Replace the database that the home has now.")
def command(file: Path, replace: bool) -> None:
    """Restore the backup FILE into the home of the embedded database, and migrate its schema.

    A home that already has a database needs --replace; the old database stays until the restore is complete. Stop
    workers and agents first: the restore closes their connections.
    """
    tenants = wiring.restore(Settings.load(), file, replace=replace)
    for tenant, digest in tenants.items():
        click.echo(f"{tenant}: {digest}")
    click.echo("restored; the lines above have the digest of each tenant's facts")
