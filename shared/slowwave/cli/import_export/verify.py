"""`slowwave verify`: checks an export without a database."""

from pathlib import Path

import click

from slowwave.cli.import_export.progress import counted_rows
from slowwave.memory.import_export.verifying import verify_export


@click.command
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Verify that FILE, a file of `slowwave export`, is complete, unchanged and consistent. Needs no database.

    Its ledger must fold to its facts, and every source must quote an episode in it. Exits with status 1 and lists each
    problem otherwise.
    """
    click.echo(f"{counted_rows(verify_export(file))} verified")
