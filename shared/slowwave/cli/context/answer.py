"""`slowwave answer`: a question, and an answer in sentences with the sources of each."""

import click

from slowwave.cli.options import json_option, opened, scope_options
from slowwave.cli.printing import one_line, print_json, short
from slowwave.memory import Memory


@click.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--session", metavar="NAME", help="The session of the question.")
@click.option(
    "--max-tokens",
    type=click.IntRange(1, 2**31 - 1),
    default=4000,
    show_default=True,
    help="Maximum tokens of context for the model.",
)
@click.option(
    "--deadline", type=click.FloatRange(0, 600, min_open=True), default=20.0, show_default=True,
    help="Seconds to wait for the model.",
)  # fmt: skip
@json_option
def command(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, session: str | None,
    max_tokens: int, deadline: float, as_json: bool,
) -> None:  # fmt: skip
    """Answer QUESTION from memory with the model of SLOWWAVE_MODEL, and check the sources that the answer cites."""
    with opened(tenant) as parts:
        parts.tally.timed = False
        answer = Memory(parts).scope(user, agent=agent, channel=channel).answer(
            question, session=session, max_tokens=max_tokens, deadline_seconds=deadline
        )  # fmt: skip
    if as_json:
        return print_json({
            "text": answer.text, "known": answer.known, "sentences": list(answer.sentences),
            "rejected": list(answer.rejected), "model": answer.model,
        })  # fmt: skip
    if not answer.known:
        click.echo(answer.text)
    for sentence in answer.sentences:
        click.echo(sentence.text)
        for memory in sentence.memories:
            named = f"{memory.type} {short(memory.id)}" if memory.id else memory.type
            click.echo(click.style(f"      {named}: {one_line(memory.content)}", dim=True))
    for reason in answer.rejected:
        click.echo(click.style(f"left out: {one_line(reason)}", dim=True))
