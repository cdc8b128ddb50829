"""`slowwave tool-calls`: the agent's tool calls, with their input and output."""

from datetime import datetime

import click

from slowwave.cli.options import Instant, json_option, scope_options
from slowwave.cli.printing import cell, console, print_json, short, table, utc
from slowwave.cli.queries.printing import reading


@click.command
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True, help="Maximum number of calls.")
@click.option("--tool", "tools", metavar="NAME", multiple=True, help="Only calls of this tool; may be repeated.")
@click.option(
    "--session", "sessions", metavar="NAME", multiple=True, help="Only calls in this session; may be repeated."
)
@click.option(
    "--succeeded/--failed", "success", default=None, help="Only calls that succeeded, or only those that failed."
)
@click.option("--since", type=Instant(), help="Only calls at or after this time.")
@click.option("--until", type=Instant(), help="Only calls before this time.")
@click.option("--before", metavar="ID", help="Continue with the calls before this one, given by id.")
@json_option
def command(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, tools: tuple[str, ...],
    sessions: tuple[str, ...], success: bool | None, since: datetime | None, until: datetime | None,
    before: str | None, as_json: bool,
) -> None:  # fmt: skip
    """List the latest tool calls, newest first."""
    with reading(user, agent, channel, tenant) as scope:
        calls = scope.tools.calls(
            limit, tools=tools or None, sessions=sessions or None, success=success, since=since, until=until,
            before=before,
        )  # fmt: skip
    if as_json:
        return print_json(calls)
    if not calls:
        return click.echo("no tool calls here: `scope.tools.record_invocation` records one")
    made = table("when", "tool", "went", "took", "session", "asked", "answered", "id", right=["took"])
    for one in calls:
        made.add_row(
            utc(one.occurred), cell(one.tool or ""), {True: "well", False: "wrong", None: ""}[one.success],
            "" if one.latency_ms is None else f"{one.latency_ms:g} ms", cell(one.session), cell(_short(one.input)),
            cell(one.error or _short(one.output)), short(one.id),
        )  # fmt: skip
    console().print(made)


def _short(value: object) -> str:
    """Return the beginning of a tool's input or output."""
    text = "" if value is None else str(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


SHOWN = 60
"""The most characters of a call's input and output in text output; JSON output has all."""
