"""`slowwave context`: the context that a prompt needs to answer a question."""

import click

from slowwave.cli.options import json_option, opened, scope_options
from slowwave.cli.printing import print_json
from slowwave.formatting import counted
from slowwave.memory import Memory


@click.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--session", metavar="NAME", help="The session of the question; its turns and summary come first.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 2**31 - 1),
    default=4000,
    show_default=True,
    help="Maximum tokens of the context.",
)
@click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Maximum memories to recall."
)
@click.option("--summary/--no-summary", default=True, show_default=True, help="Include the session's summary.")
@click.option(
    "--graph/--no-graph", default=None, help="Include graph entities; the default if the extra graph is installed."
)
@json_option
def command(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, session: str | None,
    max_tokens: int, limit: int, summary: bool, graph: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Print the context for QUESTION, in at most --max-tokens. Token counts are estimates, and
    usually too high.

    With --json, also print the reasons and sources of each part, and the context as chat messages.
    """
    with opened(tenant) as parts:
        parts.tally.timed = False
        found = Memory(parts).scope(user, agent=agent, channel=channel).context(
            question, session=session, max_tokens=max_tokens, limit=limit, include_summary=summary, include_graph=graph
        )  # fmt: skip
    if as_json:
        return print_json({
            "tokens": found.tokens, "max_tokens": found.max_tokens, "left_out": found.left_out,
            "parts": list(found.parts), "messages": found.as_messages(),
        })  # fmt: skip
    if not found.parts:
        return click.echo(f"no memories of {user} here: `slowwave status` shows what is stored")
    click.echo(found.as_text())
    said = f"{found.tokens} of {counted(max_tokens, 'tokens')}, {found.left_out} left out"
    return click.echo(click.style(said, dim=True), err=True)
