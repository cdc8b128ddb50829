"""`slowwave model`: requests to language models in files, for batch prices or for a model that is somewhere else."""

from collections.abc import Mapping
from typing import TextIO

import click

from slowwave.cli.options import opened, tenant_option
from slowwave.memory import batches
from slowwave.words import counted


@click.group
def command() -> None:
    """Requests to language models: hand them out as a batch, take replies back."""


@command.command
@click.option(
    "--format", "form", type=click.Choice(["openai", "anthropic"]), default="openai", help="Whose batch form."
)
@click.option("--peek", is_flag=True, help="Only look: nothing is set aside, and others may ask.")
@click.option("--most", type=click.IntRange(min=1), default=batches.MOST_REQUESTS, help="At most so many.")
@click.option("--hours", type=click.FloatRange(min=0.1), default=24.0, help="How long replies are waited for.")
@tenant_option
def requests(form: str, peek: bool, most: int, hours: float, tenant: str | None) -> None:
    """Write what waits to be asked as a batch, a JSON object a line; the request's key is its custom_id.

    \b
        slowwave model requests > requests.jsonl
        slowwave model replies replies.jsonl
    """
    count = 0
    with opened(tenant) as parts:
        for line in batches.hand_out(parts, form=form, peek=peek, most=most, hours=hours):
            click.echo(line)
            count += 1
    aside = "" if peek or not count else f", set aside for {hours:g} h"
    click.echo(f"{counted(count, 'request')}{aside}", err=True)


@command.command
@click.argument("file", type=click.File(encoding="utf-8"))
@tenant_option
def replies(file: TextIO, tenant: str | None) -> None:
    """Take the replies of a batch from FILE (- for the standard input), in OpenAI's form or Anthropic's.

    Any request that is known takes its reply; the first one wins, and a file may be taken in again.
    """
    with opened(tenant) as parts:
        counts = batches.take_in(parts, file)
    click.echo(_in_words(counts))


SAID: Mapping[str, str] = {
    "ok": "answered",
    "answered": "answered before",
    "known": "taken before",
    "unreadable": "cannot be read, to be asked again",
    "failed": "not answered, to be asked again",
    "refused": "refused",
    "unknown": "of no request here",
    "gone": "of a request whose words are gone",
}


def _in_words(counts: Mapping[str, int]) -> str:
    """Return how many replies came to what.

    >>> _in_words({"ok": 2, "unknown": 1})
    '3 replies: 2 answered, 1 of no request here'
    """
    total = sum(counts.values())
    said = ", ".join(f"{count} {SAID.get(kind, kind)}" for kind, count in counts.items())
    return f"{total} repl{'y' if total == 1 else 'ies'}: {said}" if total else "there are no replies in it"
