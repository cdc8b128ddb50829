"""`slowwave restore`: a backup put back."""

from pathlib import Path

import click

from slowwave import wiring
from slowwave.wiring import Settings


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Give up what the home holds now.")
def command(file: Path, replace: bool) -> None:
    """Put the backup FILE into the home of the embedded database, and bring its schema up to date.

    A home in which a database lies already is left alone, unless --replace gives it up; it stays until the backup is
    whole beside it. Stop workers and agents first: whoever is connected is disconnected.
    """
    tenants = wiring.restore(Settings.load(), file, replace=replace)
    for tenant, digest in tenants.items():
        click.echo(f"{tenant}: {digest}")
    click.echo("restored; these are the digests of what each tenant believes")
