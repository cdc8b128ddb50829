"""`slowwave recent`: the latest episodes."""

from datetime import datetime
from typing import get_args

import click

from slowwave.cli.options import Instant, json_option, scope_options
from slowwave.cli.queries.printing import reading, show_episodes
from slowwave.domain.episode import EpisodeKind, Role


@click.command
@scope_options(user_required=True)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of episodes."
)
@click.option("--before", metavar="ID", help="Continue with the episodes before this one: an id or key.")
@click.option("--after", metavar="ID", help="Only the episodes right after this one: an id or key.")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(get_args(EpisodeKind)),
    multiple=True,
    help="Only this kind of episode; may be repeated.",
)
@click.option(
    "--role",
    "roles",
    type=click.Choice(get_args(Role)),
    multiple=True,
    help="Only episodes of this role; may be repeated.",
)
@click.option(
    "--session", "sessions", metavar="NAME", multiple=True, help="Only episodes of this session; may be repeated."
)
@click.option("--since", type=Instant(), help="Only episodes at or after this time.")
@click.option("--until", type=Instant(), help="Only episodes before this time.")
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@json_option
def command(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, before: str | None,
    after: str | None, kinds: tuple[EpisodeKind, ...], roles: tuple[Role, ...], sessions: tuple[str, ...],
    since: datetime | None, until: datetime | None, archived: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the latest episodes, newest first, each with its id."""
    with reading(user, agent, channel, tenant) as scope:
        told = scope.recent(
            limit, before=before, after=after, kinds=list(kinds) or None, roles=list(roles) or None,
            sessions=sessions or None, since=since, until=until, archived=archived,
        )  # fmt: skip
    show_episodes(told, as_json=as_json, whose=agent is None)
