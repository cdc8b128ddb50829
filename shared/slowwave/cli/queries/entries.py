"""`slowwave entries`: memories in full, by their ids."""

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.printing import one_line, print_json, short
from slowwave.cli.queries.printing import reading
from slowwave.domain.fact import Fact


@click.command
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@scope_options(user_required=True)
@json_option
def command(
    ids: tuple[str, ...], user: str, agent: str | None, channel: str | None, tenant: str | None, as_json: bool
) -> None:
    """Show memories in full. Each ID is an id from `slowwave search-index`, or an episode's key."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.entries(list(ids))
    if as_json:
        return print_json(found)
    for one in found:
        kind, text = ("fact", one.text) if isinstance(one, Fact) else ("episode", one.content)
        click.echo(text)
        click.echo(click.style(one_line(f"      {kind} {short(one.id)}; session {one.session}"), dim=True))
