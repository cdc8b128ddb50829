"""`slowwave remember`: everything relevant to a question, grouped by kind."""

from collections.abc import Sequence

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.printing import one_line, print_json, short
from slowwave.cli.queries.printing import reading
from slowwave.domain.queries.bundle import MemoryBundle


@click.command
@click.argument("question")
@scope_options(user_required=True)
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Maximum number of memories of each kind.",
)
@click.option("--hours", type=click.IntRange(1), help="Number of past hours to search for turns and facts.")
@json_option
def command(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int,
    hours: int | None, as_json: bool,
) -> None:  # fmt: skip
    """Ask QUESTION; get relevant turns, facts, entities and strategies, the active goals and the user's profile."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.remember(question, top_k=limit, time_window_hours=hours)
    if as_json:
        return print_json(found)
    for kind, lines in _lines(found):
        click.echo(click.style(kind, bold=True) if lines else click.style(f"{kind}: none", dim=True))
        for line in lines:
            click.echo(f"  {line}")


def _lines(found: MemoryBundle) -> Sequence[tuple[str, list[str]]]:
    return [
        ("turns", [f"{one_line(one.text)}  {short(one.id)}" for one in found.turns]),
        ("facts", [f"{one_line(one.text)}  {short(one.id)}" for one in found.facts]),
        ("entities", [f"{one_line(one.label)}  {short(one.id)}" for one in found.entities]),
        ("strategies", [f"{one_line(one.description)}  {short(one.id)}" for one in found.strategies]),
        ("goals", [f"{one_line(one.description)}  {short(one.goal_id)}" for one in found.goals]),
        ("profile", [f"{one_line(one.fact.text)}  {short(one.fact.id)}" for one in found.profile.entries]),
    ]
