"""`slowwave episode`: one episode, word for word."""

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.printing import one_line, print_json, utc
from slowwave.cli.queries.printing import reading


@click.command
@click.argument("name", metavar="ID")
@scope_options(user_required=True)
@json_option
def command(name: str, user: str, agent: str | None, channel: str | None, tenant: str | None, as_json: bool) -> None:
    """Show an episode word for word. ID is its id, the beginning of its id, or the agent's key."""
    with reading(user, agent, channel, tenant) as scope:
        told = scope.episode(name)
    if as_json:
        return print_json(told)
    click.echo(told.content)
    whence = f"{told.kind} of {told.speaker or told.role} in session {told.session}, {utc(told.occurred)}"
    where = f"{told.key} at position {told.position}, as {told.scope.agent} knows it in {told.scope.channel}"
    click.echo(click.style(one_line(f"      {whence}; {where}; id {told.id}"), dim=True))
