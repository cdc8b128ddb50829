"""`slowwave search-index`: a question, and what answers it as an index to choose from."""

from typing import get_args

import click

from slowwave.cli.options import json_option, whose
from slowwave.cli.reading.shown import reading, show_index
from slowwave.domain.recollection import Remembered


@click.command
@click.argument("question")
@whose(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many at most.")
@click.option("--kind", "kinds", type=click.Choice(get_args(Remembered)), multiple=True, help="Only these.")
@click.option("--exclude-session", "others", metavar="NAME", multiple=True, help="Nothing that was said there.")
@click.option("--archived", is_flag=True, help="Look into conversations that are put away, too.")
@click.option("--include-external", is_flag=True, help="Ask the other memories of SLOWWAVE_SOURCES, too.")
@json_option
def command(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int,
    kinds: tuple[Remembered, ...], others: tuple[str, ...], archived: bool, include_external: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Ask QUESTION; get the beginnings of what answers it, with ids and tokens.

    `slowwave timeline ID` shows what surrounds one, `slowwave entries ID ...` all of those you choose.
    """
    with reading(user, agent, channel, tenant) as scope:
        found = scope.search_index(
            question, limit=limit, kinds=list(kinds) or None, exclude_sessions=others or None, archived=archived,
            include_external=include_external,
        )  # fmt: skip
    for name, why in found.failed.items():
        click.echo(f"the source {name} {why}", err=True)
    show_index(found, as_json=as_json)
