"""`slowwave embedder`: in which spaces memories answer, and moving them to another."""

from collections.abc import Callable

import click

from slowwave.cli.options import Listing, json_option, opened, tenant_option, whose
from slowwave.cli.printing import print_json
from slowwave.memory import Memory, MemoryScope
from slowwave.words import counted

Move = Callable[[Memory, MemoryScope | None], int]


@click.group(cls=Listing)
def command() -> None:
    """Embedding spaces: list them, move scopes to that of SLOWWAVE_EMBEDDER, or call it off. Alone it lists."""


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the spaces in which scopes answer, and how far those are that are on the way to one."""
    with opened(tenant) as parts:
        found, here = Memory(parts).embedding_spaces(), parts.embedder.space
    if as_json:
        return print_json(found)
    for one in found:
        ours = ", the embedder's here" if one.name == here else ""
        click.echo(f"{one.name}: {counted(one.scopes, 'scopes')} answer in it{ours}")
        if one.coming:
            click.echo(f"  {one.coming} on the way there: {one.made} of {counted(one.episodes, 'episodes')} are made")
    if not found:
        click.echo("nothing has a vector yet")


@command.command
@whose(user_required=False, writes=True)
@json_option
def move(user: str | None, agent: str, channel: str, tenant: str | None, as_json: bool) -> None:
    """Move a user's scope, or without --user every scope, to the space of SLOWWAVE_EMBEDDER; workers do it.

    Until all of a scope is there it answers in the space it is in, by SLOWWAVE_EMBEDDER_BEFORE or the shipped embedder.
    """
    moved = _each(user, agent, channel, tenant, lambda memory, scope: memory.reembed(scope))
    if as_json:
        return print_json({"scopes": moved})
    click.echo(f"{counted(moved, 'scopes')} on the way: `slowwave embedder` says how far")


@command.command
@whose(user_required=False, writes=True)
@json_option
def stay(user: str | None, agent: str, channel: str, tenant: str | None, as_json: bool) -> None:
    """Call moves off: a user's scope, or without --user every scope, goes on answering in the space it is in."""
    stayed = _each(user, agent, channel, tenant, lambda memory, scope: memory.keep_embedding(scope))
    if as_json:
        return print_json({"scopes": stayed})
    click.echo(f"{counted(stayed, 'scopes')} called back")


def _each(user: str | None, agent: str, channel: str, tenant: str | None, move: Move) -> int:
    with opened(tenant) as parts:
        memory = Memory(parts)
        return move(memory, None if user is None else memory.scope(user, agent=agent, channel=channel))
