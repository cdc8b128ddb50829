"""`slowwave embedder` and `model`: embedding spaces, and model calls as batch files."""

from collections.abc import Callable, Mapping
from typing import TextIO

import click

from slowwave.cli.options import ScopeOptions, in_tenant, json_option, opened, scope_options, tenant_option
from slowwave.cli.options.choices import Listing, limit_option
from slowwave.cli.printing import print_json
from slowwave.formatting import counted
from slowwave.memory import Memory, MemoryScope, request_batches
from slowwave.wiring import Parts

Move = Callable[[Memory, MemoryScope | None], int]


@click.group(cls=Listing)
def embedder_command() -> None:
    """List embedding spaces, move scopes to SLOWWAVE_EMBEDDER, or cancel moves. Without a subcommand, list the
    spaces."""


@embedder_command.command("list")
@in_tenant
@json_option
def list_(parts: Parts, as_json: bool) -> None:
    """List the embedding spaces in use, and the progress of moves."""
    found, here = Memory(parts).embedding_spaces(), parts.embedder.space
    if as_json:
        return print_json(found)
    for one in found:
        ours = ", the embedder's here" if one.name == here else ""
        click.echo(f"{one.name}: {counted(one.scopes, 'scopes')} use it{ours}")
        if one.coming:
            click.echo(f"  {one.coming} moving there: {one.made} of {counted(one.episodes, 'episodes')} are embedded")
    if not found:
        click.echo("there are no vectors yet")


@embedder_command.command
@scope_options(user_required=False, writes=True)
@json_option
def move(options: ScopeOptions, as_json: bool) -> None:
    """Move one scope, or all scopes, to SLOWWAVE_EMBEDDER.

    Workers do the move. Without --user, they move every scope to the embedding space of SLOWWAVE_EMBEDDER. Until the
    move of a scope is complete, recall uses the old space of this scope and the old embedder: the one in
    SLOWWAVE_EMBEDDER_BEFORE, or else the shipped one.
    """
    moved = _each(options, lambda memory, scope: memory.reembed(scope))
    if as_json:
        return print_json({"scopes": moved})
    click.echo(f"{counted(moved, 'scopes')} moving: `slowwave embedder` shows the progress")


@embedder_command.command
@scope_options(user_required=False, writes=True)
@json_option
def stay(options: ScopeOptions, as_json: bool) -> None:
    """Cancel the move of one scope, or all moves. The scopes keep their current space."""
    stayed = _each(options, lambda memory, scope: memory.keep_embedding(scope))
    if as_json:
        return print_json({"scopes": stayed})
    click.echo(f"{counted(stayed, 'scopes')} kept in place")


def _each(options: ScopeOptions, move: Move) -> int:
    with opened(options.tenant) as parts:
        return move(Memory(parts), None if options.user is None else options.of(parts))


@click.group
def model_command() -> None:
    """Write pending model calls as a batch file, and read the replies back."""


@model_command.command
@click.option(
    "--format",
    "form",
    type=click.Choice(["openai", "anthropic"]),
    default="openai",
    help="The provider's batch format.",
)
@click.option("--peek", is_flag=True, help="Only show the requests; do not reserve them.")
@limit_option(request_batches.MOST_REQUESTS, "requests", None, former="--most")
@click.option(
    "--hours", type=click.FloatRange(min=0.1), default=24.0, help="Hours to reserve the requests for their replies."
)
@tenant_option
def requests(form: str, peek: bool, limit: int, hours: float, tenant: str | None) -> None:
    """Write the pending model calls as a batch, one JSON object per line; custom_id is the key of the request.

    \b
        slowwave model requests > requests.jsonl
        slowwave model replies replies.jsonl
    """
    count = 0
    with opened(tenant) as parts:
        for line in request_batches.export_requests(parts, form=form, peek=peek, most=limit, hours=hours):
            click.echo(line)
            count += 1
    aside = "" if peek or not count else f", reserved for {hours:g} h"
    click.echo(f"{counted(count, 'request')}{aside}", err=True)


@model_command.command
@click.argument("file", type=click.File(encoding="utf-8"))
@in_tenant
def replies(file: TextIO, parts: Parts) -> None:
    """Read the replies of a batch from FILE.

    FILE is in OpenAI's or Anthropic's format. If FILE is `-`, the command reads standard input. The first reply to each
    known request counts, so you can safely read a file again.
    """
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
