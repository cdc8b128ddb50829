"""`slowwave db`: migrates the database schema, or shows its revision."""

import contextlib
from collections.abc import Iterator

import click

from slowwave import wiring
from slowwave.cli.doctor.services import schema
from slowwave.cli.options.choices import Listing
from slowwave.errors import Incorrect
from slowwave.wiring import Settings, moving


@click.group(cls=Listing, usual="status")
def db_command() -> None:
    """Migrate the database schema, or show its revision. Without a subcommand, show the revision."""


@db_command.command
def migrate() -> None:
    """Migrate the schema to the newest revision.

    The command also registers the rule packs that are installed here. It needs the owner's address in
    SLOWWAVE_OWNER_URL, or the embedded database. You can repeat the command, and run it on several machines at once.
    """
    settings = Settings.load()
    if settings.cells is not None:
        with _parts(settings) as parts:
            moving.migrate(parts)
    elif settings.url is not None:
        if settings.owner_url is None:
            raise Incorrect(
                "SLOWWAVE_OWNER_URL is not set", hint="set it to the database's address as the login slowwave_owner"
            )
        wiring.migrate_database(settings.owner_url.get_secret_value())
    with _parts(settings) as parts:
        if settings.url is not None:
            wiring.register(parts)
        _show(parts)


@db_command.command
def status() -> None:
    """Show the schema's revision, and the revision that is needed."""
    with _parts(Settings.load()) as parts:
        _show(parts)


def _show(parts: wiring.Parts) -> None:
    """Print the revision of each cell. Raises `Incorrect` if a schema is not up to date."""
    lines = {name: schema(cell) for name, cell in parts.each_cell().items()}
    for name, line in lines.items():
        click.echo(f"{name}: {line.finding}" if name else line.finding)
    for line in lines.values():
        if not line.good:
            raise Incorrect("the schema is not up to date", hint=line.remedy)


@contextlib.contextmanager
def _parts(settings: Settings) -> Iterator[wiring.Parts]:
    with contextlib.closing(wiring.open_parts(settings)) as parts:
        yield parts
