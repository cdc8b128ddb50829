"""`slowwave import`: reads a file of `slowwave export`, or of another project."""

from pathlib import Path

import click

from slowwave.cli.import_export.other_formats import FORMS, episodes_of
from slowwave.cli.import_export.progress import counted_rows, telling
from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.push import take
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.errors import Incorrect
from slowwave.formatting import counted
from slowwave.memory.import_export import transfer


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--from", "form", type=click.Choice(sorted(FORMS)), help="The file's format; Slowwave's own by default.")
@click.option("--user", metavar="NAME", help="With --from: the user of entries without a user.")
@click.option(
    "--agent", default="default", show_default=True, help="With --from: the agent of entries without an agent."
)
@click.option("--channel", default=GLOBAL_CHANNEL, show_default=True, help="With --from: the channel of all entries.")
@click.option("--dry-run", is_flag=True, help="Report what would be imported, and list the problems; write nothing.")
@tenant_option
@json_option
def command(
    file: Path,
    form: str | None,
    user: str | None,
    agent: str,
    channel: str,
    dry_run: bool,
    tenant: str | None,
    as_json: bool,
) -> None:
    """Import the memories of FILE with their ids and facts. A scope is imported completely or not at all.

    You can repeat an interrupted import. --tenant imports into another tenant, with new ids. With --from, FILE comes
    from another project. Slowwave learns from the messages of this project. The conclusions of this project become
    episodes of the role `system`: recall finds these episodes, but no pack reads them. The id of each entry becomes the
    key of its episode, so a repeated import stores nothing twice.
    """
    if form is not None:
        with telling("batches") as told:
            take(
                episodes_of(form, file), {"user": user, "agent": agent, "channel": channel}, tenant=tenant,
                dry_run=dry_run, as_json=as_json, noun="item", told=told,
            )  # fmt: skip
        return
    if user is not None or as_json:
        raise Incorrect(
            "--user and --json go with --from", hint="a file of `slowwave export` has the owner of each memory"
        )
    with opened(tenant) as parts, telling() as told:
        moved = transfer.from_file(parts, file, tenant, dry_run=dry_run, told=told)
    click.echo(f"{counted_rows(moved)} {'would arrive' if dry_run else 'arrived'}")
    if moved.known:
        click.echo(f"{counted(moved.known, 'scopes')} were imported before")
