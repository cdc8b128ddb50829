"""`slowwave conversations`: the list of conversations, and the turns of one."""

import click

from slowwave.cli.options import Listing, json_option, scope_options
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.cli.queries.printing import reading, show_episodes


@click.group(cls=Listing)
def command() -> None:
    """List conversations, or show the turns of one. Without a subcommand, list them."""


@command.command("list")
@scope_options(user_required=True)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="Maximum number of conversations."
)
@click.option("--after", metavar="SESSION", help="Continue after the conversation of this session.")
@click.option("--archived/--at-hand", default=None, help="Only archived conversations, or only active ones.")
@json_option
def list_(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, after: str | None,
    archived: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """List the conversations, most recently active first."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.conversations(limit, archived=archived, after=after)
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no conversations here: `slowwave status` shows what is stored")
    made = table("session", "agent", "channel", "episodes", "began", "ended", "archived", right=["episodes"])
    for one in found:
        made.add_row(
            cell(one.session), cell(one.scope.agent), cell(one.scope.channel), str(one.episodes), utc(one.first_at),
            utc(one.last_at), utc(one.archived),
        )  # fmt: skip
    console().print(made)


@command.command
@click.argument("session")
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="Maximum number of turns.")
@click.option("--before", metavar="ID", help="Only turns before this one: an id or key.")
@click.option("--after", metavar="ID", help="Only turns after this one: an id or key.")
@click.option("--around", metavar="ID", help="Only this turn (an id or key) and the turns around it.")
@json_option
def show(
    session: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int,
    before: str | None, after: str | None, around: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show the turns of the conversation SESSION, in order."""
    with reading(user, agent, channel, tenant) as scope:
        told = scope.conversation(session, limit=limit, before=before, after=after, around=around)
    show_episodes(told, as_json=as_json, whose=agent is None)
