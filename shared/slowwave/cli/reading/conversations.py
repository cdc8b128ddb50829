"""`slowwave conversations`: which there are, and what was said in one."""

import click

from slowwave.cli.options import Listing, json_option, whose
from slowwave.cli.printing import cell, console, print_json, table, utc
from slowwave.cli.reading.shown import reading, show_episodes


@click.group(cls=Listing)
def command() -> None:
    """Conversations: list them, or show what was said in one. Alone it lists."""


@command.command("list")
@whose(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="How many at most.")
@click.option("--after", metavar="SESSION", help="Go on behind this one.")
@click.option("--archived/--at-hand", default=None, help="Only those that are put away, or only the others.")
@json_option
def list_(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, after: str | None,
    archived: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """List the conversations, those spoken in last first."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.conversations(limit, archived=archived, after=after)
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("nothing was said here: `slowwave status` says how much there is at all")
    made = table("session", "agent", "channel", "episodes", "began", "ended", "archived", right=["episodes"])
    for one in found:
        made.add_row(
            cell(one.session), cell(one.scope.agent), cell(one.scope.channel), str(one.episodes), utc(one.first_at),
            utc(one.last_at), utc(one.archived),
        )  # fmt: skip
    console().print(made)


@command.command
@click.argument("session")
@whose(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="How many turns at most.")
@click.option("--before", metavar="ID", help="What was said before this one.")
@click.option("--after", metavar="ID", help="Go on behind this one.")
@click.option("--around", metavar="ID", help="This one, and what was said on both sides of it.")
@json_option
def show(
    session: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int,
    before: str | None, after: str | None, around: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Show what was said in the conversation SESSION, in order."""
    with reading(user, agent, channel, tenant) as scope:
        told = scope.conversation(session, limit=limit, before=before, after=after, around=around)
    show_episodes(told, as_json=as_json, whose=agent is None)
