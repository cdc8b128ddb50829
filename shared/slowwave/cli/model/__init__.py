"""`slowwave model`: model calls as batch files, for lower prices or for a model that this host cannot reach."""

from collections.abc import Mapping
from typing import TextIO

import click

from slowwave.cli.options import opened, tenant_option
from slowwave.formatting import counted
from slowwave.memory import request_batches


@click.group
def command() -> None:
    """Write pending model calls as a batch file, and read the replies back."""


@command.command
@click.option(
    "--format",
    "form",
    type=click.Choice(["openai", "anthropic"]),
    default="openai",
    help="The provider's batch format.",
)
@click.option("--peek", is_flag=True, help="Only show the requests; do not reserve them.")
@click.option(
    "--most", type=click.IntRange(min=1), default=request_batches.MOST_REQUESTS, help="Maximum number of requests."
)
@click.option(
    "--hours", type=click.FloatRange(min=0.1), default=24.0, help="Hours to reserve the requests for their replies."
)
@tenant_option
def requests(form: str, peek: bool, most: int, hours: float, tenant: str | None) -> None:
    """Write the pending model calls as a batch, one JSON object per line; custom_id is the key of the request.

    \b
        slowwave model requests > requests.jsonl
        slowwave model replies replies.jsonl
    """
    count = 0
    with opened(tenant) as parts:
        for line in request_batches.export_requests(parts, form=form, peek=peek, most=most, hours=hours):
            click.echo(line)
            count += 1
    aside = "" if peek or not count else f", reserved for {hours:g} h"
    click.echo(f"{counted(count, 'request')}{aside}", err=True)


@command.command
@click.argument("file", type=click.File(encoding="utf-8"))
@tenant_option
def replies(file: TextIO, tenant: str | None) -> None:
    """Read the replies of a batch from FILE, in OpenAI's or Anthropic's format. If FILE is `-`, read standard input.

    The first reply to each known request counts, so you can safely read a file again.
    """
    with opened(tenant) as parts:
        counts = request_batches.import_replies(parts, file)
    click.echo(_in_words(counts))


MESSAGES: Mapping[str, str] = {
    "ok": "answered",
    "answered": "answered before",
    "known": "taken before",
    "unreadable": "unreadable, will be asked again",
    "failed": "not answered, will be asked again",
    "refused": "refused",
    "unknown": "for unknown requests",
    "gone": "for requests whose episodes are deleted",
}


def _in_words(counts: Mapping[str, int]) -> str:
    """Return the counts of replies by outcome, as a sentence.

    >>> _in_words({"ok": 2, "unknown": 1})
    '3 replies: 2 answered, 1 for unknown requests'
    """
    total = sum(counts.values())
    text = ", ".join(f"{count} {MESSAGES.get(kind, kind)}" for kind, count in counts.items())
    return f"{total} repl{'y' if total == 1 else 'ies'}: {text}" if total else "the file has no replies"
