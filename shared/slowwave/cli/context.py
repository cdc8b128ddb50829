"""`slowwave context` and `answer`: the context for a question, and an answer with its sources."""

import click

from slowwave.cli.options import ScopeOptions, json_option, opened, scope_options
from slowwave.cli.options.choices import limit_option, max_tokens_option
from slowwave.cli.printing import one_line, print_json, short
from slowwave.formatting import counted


@click.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--session", metavar="NAME", help="The session of the question; its turns and summary come first.")
@max_tokens_option(4000, "the context")
@limit_option(20, "memories to recall")
@click.option("--summary/--no-summary", default=True, show_default=True, help="Include the session's summary.")
@click.option(
    "--graph/--no-graph", default=None, help="Include graph entities; the default if the extra graph is installed."
)
@json_option
def context_command(
    question: str, options: ScopeOptions, session: str | None,
    max_tokens: int, limit: int, summary: bool, graph: bool | None, as_json: bool,
) -> None:  # fmt: skip
    """Print the context for QUESTION, in at most --max-tokens. Token counts are estimates, and
    usually too high.

    With --json, also print the reasons and sources of each part, and the context as chat messages.
    """
    with opened(options.tenant) as parts:
        parts.tally.timed = False
        found = options.of(parts).context(
            question, session=session, max_tokens=max_tokens, limit=limit, include_summary=summary, include_graph=graph
        )  # fmt: skip
    if as_json:
        return print_json({
            "tokens": found.tokens, "max_tokens": found.max_tokens, "left_out": found.left_out,
            "parts": list(found.parts), "messages": found.as_messages(),
        })  # fmt: skip
    if not found.parts:
        return click.echo(f"no memories of {options.user} here: `slowwave status` shows what is stored")
    click.echo(found.as_text())
    size = f"{found.tokens} of {counted(max_tokens, 'tokens')}, {found.left_out} left out"
    return click.echo(click.style(size, dim=True), err=True)


@click.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--session", metavar="NAME", help="The session of the question.")
@max_tokens_option(4000, "context for the model")
@click.option(
    "--deadline", type=click.FloatRange(0, 600, min_open=True), default=20.0, show_default=True,
    help="Seconds to wait for the model.",
)  # fmt: skip
@json_option
def answer_command(
    question: str, options: ScopeOptions, session: str | None,
    max_tokens: int, deadline: float, as_json: bool,
) -> None:  # fmt: skip
    """Answer QUESTION from memory with the model of SLOWWAVE_MODEL, and check the sources that the answer cites."""
    with opened(options.tenant) as parts:
        parts.tally.timed = False
        answer = options.of(parts).answer(
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
