"""`slowwave context`: a question, and what a prompt needs to know before it."""

import click

from slowwave.cli.options import json_option, opened, whose
from slowwave.cli.printing import print_json
from slowwave.memory import Memory
from slowwave.words import counted


@click.command
@click.argument("question")
@whose(user_required=True)
@click.option("--session", metavar="NAME", help="The session in which it is asked: its turns and summary go first.")
@click.option(
    "--max-tokens", type=click.IntRange(1, 2**31 - 1), default=4000, show_default=True, help="How much it may take."
)
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="How many are recalled.")
@click.option("--summary/--no-summary", default=True, show_default=True, help="Whether the session's summary is told.")
@click.option("--graph/--no-graph", default=None, help="Whether entities are told; if the extra is there, by default.")
@json_option
def command(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, session: str | None,
    max_tokens: int, limit: int, summary: bool, graph: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Print what a prompt needs to know before QUESTION, in at most --max-tokens, which are estimated on the high side.

    With --json also the reasons and sources of each part, and all of it as messages of a chat.
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
        return click.echo(f"nothing is remembered of {user} here: `slowwave status` says how much there is at all")
    click.echo(found.as_text())
    said = f"{found.tokens} of {counted(max_tokens, 'tokens')}, {found.left_out} left out"
    return click.echo(click.style(said, dim=True), err=True)
