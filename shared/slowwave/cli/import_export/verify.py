"""`slowwave verify`: checks an export without a database."""

from pathlib import Path

import click

from slowwave.cli.import_export.progress import counted_rows
from slowwave.memory.import_export.verifying import verify_export


@click.command
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Check that FILE, a file of `slowwave export`, is complete and consistent. Needs no database.

    Rebuilds the facts from the deltas and compares them, compares each fact with its delta, and looks for every quote
    in its episode. Lists the problems; if there are any, exits with status 1. The file's own digest has no key, so
    whoever changes the file can also change the digest: store the printed SHA-256 elsewhere, and compare it later.
    """
    moved, digest = verify_export(file)
    click.echo(f"{counted_rows(moved)} are consistent")
    click.echo(f"SHA-256 {digest}")
