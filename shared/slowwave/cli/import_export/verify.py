"""`slowwave verify`: checks an export without a database."""

from pathlib import Path

import click

from slowwave.cli.import_export.progress import counted_rows
from slowwave.memory.import_export.verifying import verify_export


@click.command
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Check that FILE, a file of `slowwave export`, is complete and consistent, without a database.

    The command rebuilds the facts from the deltas and compares them with the facts in FILE, compares each fact with its
    delta, and looks for every quote in its episode. It lists the problems, and exits with status 1 if there are any.
    The digest in FILE has no key: somebody who changes FILE can also change the digest. So store the printed SHA-256 in
    another place, and compare it later.
    """
    moved, digest = verify_export(file)
    click.echo(f"{counted_rows(moved)} are consistent")
    click.echo(f"SHA-256 {digest}")
