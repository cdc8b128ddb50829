"""`slowwave search-index`: an index of the memories that match a question."""

from typing import get_args

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.queries.printing import reading, show_index
from slowwave.domain.recollection import Remembered


@click.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of entries.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(get_args(Remembered)),
    multiple=True,
    help="Only this kind of memory; may be repeated.",
)
@click.option(
    "--exclude-session", "others", metavar="NAME", multiple=True, help="Exclude this session; may be repeated."
)
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@click.option("--include-external", is_flag=True, help="Also search the external memories of SLOWWAVE_SOURCES.")
@json_option
def command(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int,
    kinds: tuple[Remembered, ...], others: tuple[str, ...], archived: bool, include_external: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Ask QUESTION; get the beginnings of the matching memories, with ids and token counts.

    `slowwave timeline ID` shows the episodes around a memory; `slowwave entries ID ...` shows memories in full.
    """
    with reading(user, agent, channel, tenant) as scope:
        found = scope.search_index(
            question, limit=limit, kinds=list(kinds) or None, exclude_sessions=others or None, archived=archived,
            include_external=include_external,
        )  # fmt: skip
    for name, why in found.failed.items():
        click.echo(f"the source {name} {why}", err=True)
    show_index(found, as_json=as_json)
