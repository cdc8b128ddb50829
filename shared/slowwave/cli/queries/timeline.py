"""`slowwave timeline`: the episodes before and after a memory."""

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.queries.printing import reading, show_index


@click.command
@click.argument("anchor", metavar="ID")
@scope_options(user_required=True)
@click.option(
    "--before", type=click.IntRange(0, 1000), default=5, show_default=True, help="Number of episodes before the memory."
)
@click.option(
    "--after", type=click.IntRange(0, 1000), default=5, show_default=True, help="Number of episodes after the memory."
)
@json_option
def command(
    anchor: str, user: str, agent: str | None, channel: str | None, tenant: str | None, before: int, after: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Show the first words of the episodes before and after the memory ID. If ID is a fact, the command shows the
    episodes around its latest source."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.timeline(anchor, before=before, after=after)
    show_index(found, as_json=as_json)
