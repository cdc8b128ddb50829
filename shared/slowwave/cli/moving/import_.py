"""`slowwave import`: what `slowwave export` wrote, or what another project kept."""

from pathlib import Path

import click

from slowwave.cli.moving.others import FORMS, episodes_of
from slowwave.cli.moving.progress import counted_rows, telling
from slowwave.cli.options import json_option, opened, tenant_option
from slowwave.cli.push import take
from slowwave.domain.scope import GLOBAL_CHANNEL
from slowwave.errors import Incorrect
from slowwave.memory.moving import arriving
from slowwave.words import counted


@click.command
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--from", "form", type=click.Choice(sorted(FORMS)), help="Whose file it is; Slowwave's own by default.")
@click.option("--user", metavar="NAME", help="With --from: the user of what names none.")
@click.option("--agent", default="default", show_default=True, help="With --from: the agent of what names none.")
@click.option("--channel", default=GLOBAL_CHANNEL, show_default=True, help="With --from: the channel.")
@click.option("--dry-run", is_flag=True, help="Say what would arrive and what is wrong, and write nothing.")
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
    """Bring in the memories of FILE: the same ids, the same beliefs, each scope whole and once.

    It may be interrupted and repeated. --tenant brings them into another tenant, with ids of its own. With --from FILE
    is another project's: what was said there becomes episodes, to be learned from; what a project had concluded becomes
    episodes of the role `system`, to be found and never believed. Each keeps its id as its key, so that a repeat
    stores nothing twice.
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
            "--user and --json go with --from", hint="a file of `slowwave export` says whose each memory is"
        )
    with opened(tenant) as parts, telling() as told:
        moved = arriving.from_file(parts, file, tenant, dry_run=dry_run, told=told)
    click.echo(f"{counted_rows(moved)} {'would arrive' if dry_run else 'arrived'}")
    if moved.known:
        click.echo(f"{counted(moved.known, 'scopes')} had arrived before")
