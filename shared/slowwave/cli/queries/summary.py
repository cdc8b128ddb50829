"""`slowwave summary`: the summary of a session."""

import click

from slowwave.cli.options import json_option, scope_options
from slowwave.cli.printing import one_line, print_json, short, utc
from slowwave.cli.queries.printing import reading
from slowwave.domain.queries.summary import SUMMARY_TOKENS, resting


@click.command
@click.argument("session")
@scope_options(user_required=True)
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 2**31 - 1),
    default=SUMMARY_TOKENS,
    show_default=True,
    help="Maximum tokens of the summary.",
)
@json_option
def command(
    session: str, user: str, agent: str | None, channel: str | None, tenant: str | None, max_tokens: int, as_json: bool
) -> None:
    """Show the summary of SESSION: its most informative sentences, with the keys of their episodes."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.summary(session, max_tokens=max_tokens)
    if as_json:
        return print_json(found)
    for line in found.lines:
        click.echo(line.text)
        where = ", ".join(f"{source.key} at position {source.position}" for source in resting([line]))
        click.echo(click.style(one_line(f"      {where}"), dim=True))
    if not found.lines:
        click.echo("the session has no words to summarize, or its shortest sentence is over the limit")
    kept = "made from the turns" if found.fact is None else f"stored as fact {short(found.fact)}"
    told = f"{found.tokens} tokens; up to position {found.covered}, {utc(found.at)}; {kept}; by: {found.by}"
    click.echo(click.style(one_line(told), dim=True))
