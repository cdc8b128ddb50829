"""`slowwave verify`: checks an export without a database."""

from pathlib import Path

import click

from slowwave.cli.import_export.progress import counted_rows
from slowwave.memory.import_export.verifying import verify_export


@click.command
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Check that FILE, a file of `slowwave export`, is complete and consistent. Needs no database.

    Its ledger must fold to its facts, each fact must say what its delta says, and every source must quote an episode in
    it. Exits with status 1 and lists each problem otherwise. The digest in the file has no key: whoever changes the
    words can write it anew. So keep the SHA-256 that this prints elsewhere, and compare it later.
    """
    moved, digest = verify_export(file)
    click.echo(f"{counted_rows(moved)} are consistent")
    click.echo(f"SHA-256 {digest}")
