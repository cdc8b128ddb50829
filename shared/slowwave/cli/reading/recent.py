"""`slowwave recent`: what was told last."""

from datetime import datetime
from typing import get_args

import click

from slowwave.cli.options import Instant, json_option, whose
from slowwave.cli.reading.shown import reading, show_episodes
from slowwave.domain.episode import EpisodeKind, Role


@click.command
@whose(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many at most.")
@click.option("--before", metavar="ID", help="Go on behind this one: what was told before it.")
@click.option("--after", metavar="ID", help="What was told next after this one.")
@click.option("--kind", "kinds", type=click.Choice(get_args(EpisodeKind)), multiple=True, help="Only these.")
@click.option("--role", "roles", type=click.Choice(get_args(Role)), multiple=True, help="Only what they said.")
@click.option("--session", "sessions", metavar="NAME", multiple=True, help="Only what was said there.")
@click.option("--since", type=Instant(), help="Only what happened then or later.")
@click.option("--until", type=Instant(), help="Only what happened before.")
@click.option("--archived", is_flag=True, help="Also what was said in conversations that are put away.")
@json_option
def command(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, before: str | None,
    after: str | None, kinds: tuple[EpisodeKind, ...], roles: tuple[Role, ...], sessions: tuple[str, ...],
    since: datetime | None, until: datetime | None, archived: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the episodes that were told last, the newest first, each with its id."""
    with reading(user, agent, channel, tenant) as scope:
        told = scope.recent(
            limit, before=before, after=after, kinds=list(kinds) or None, roles=list(roles) or None,
            sessions=sessions or None, since=since, until=until, archived=archived,
        )  # fmt: skip
    show_episodes(told, as_json=as_json, whose=agent is None)
