"""`slowwave unread`: turns in languages that no pack or model reads."""

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.printing import cell, console, print_json, short, table, utc
from slowwave.cli.queries.printing import reading
from slowwave.formatting import language


@click.command
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum number of turns.")
@click.option("--before", metavar="ID", help="Continue with the turns before this one: an id or key.")
@json_option
def command(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, before: str | None,
    as_json: bool,
) -> None:  # fmt: skip
    """List a user's turns in languages that no pack or model reads, newest first, and print the setting to change.

    Such a turn yields no facts, but `slowwave recall` finds it.
    """
    with reading(user, agent, channel, tenant) as scope:
        found = scope.unread(limit, before=before)
    if as_json:
        return print_json(
            {"turns": found, "languages": found.languages, "reason": found.reason, "remedy": found.remedy}
        )
    if not found.languages:
        return click.echo("no unread turns in other languages are known here")
    made = table("when", "language", "session", "said", "id")
    for turn in found:
        one = turn.episode
        made.add_row(utc(one.occurred), language(turn.language), cell(one.session), cell(one.content), short(one.id))
    console().print(made)
    click.echo(" ".join(filter(None, (found.sentence, found.remedy))))
