"""`slowwave export`: all memories as a file."""

import sys
from pathlib import Path

import click

from slowwave.cli.import_export.progress import counted_rows, telling
from slowwave.cli.options import opened, tenant_option
from slowwave.memory.import_export import transfer


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--user", metavar="NAME", help="Only the memories of this user.")
@click.option("--agent", metavar="NAME", help="Only the memories of this agent.")
@click.option("--channel", metavar="NAME", help="Only the memories of this channel.")
@tenant_option
def command(file: Path, user: str | None, agent: str | None, channel: str | None, tenant: str | None) -> None:
    """Export all memories of a tenant to FILE as JSON Lines. If FILE is `-`, write to standard output.

    FILE is a snapshot of episodes, facts with all versions, deltas with their sources, goals, strategies, reviews and
    more. FILE appears when it is complete, and only its owner may read it. `slowwave import FILE` imports the file.
    """
    with opened(tenant) as parts:
        whose = (parts.settings.tenant, user, agent, channel)
        with telling() as told:
            if str(file) == "-":
                moved = transfer.to_stream(parts, sys.stdout.buffer, *whose, told)
            else:
                moved = transfer.to_file(parts, file, *whose, told)
    click.echo(f"{counted_rows(moved)} written", err=str(file) == "-")
