"""`slowwave profile`: a user's profile, by purpose."""

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.printing import one_line, print_json, short
from slowwave.cli.queries.printing import reading
from slowwave.domain.queries.profile import ProfileEntry


@click.command
@scope_options(user_required=True)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum entries of each kind."
)
@json_option
def command(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, as_json: bool
) -> None:  # fmt: skip
    """Show a user's profile: preferences, expertise, communication style and more, each with its fact."""
    with reading(user, agent, channel, tenant) as scope:
        profile = scope.profile(limit=limit)
    if as_json:
        return print_json(profile)
    if not profile.entries:
        return click.echo("no profile for this user: `slowwave facts` lists what is believed")
    for name in ("preferences", "expertise_areas", "communication_style", "metadata"):
        if part := getattr(profile, name):
            click.echo(click.style(name.replace("_", " "), bold=True))
            for entry in part:
                click.echo(_line(entry))


def _line(entry: ProfileEntry) -> str:
    again = f", said {entry.reasons['frequency']:.0f} times more" if entry.reasons["frequency"] else ""
    sure = click.style(f"strength {entry.reasons['strength']:.2f}{again}; {short(entry.fact.id)}", dim=True)
    return f"  {one_line(entry.fact.text)}  {sure}"
