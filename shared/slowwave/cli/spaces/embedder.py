"""`slowwave embedder`: the embedding spaces of memories, and moves to another embedder."""

from collections.abc import Callable

import click

from slowwave.cli.options import Listing, json_option, opened, scope_options, tenant_option
from slowwave.cli.printing import print_json
from slowwave.formatting import counted
from slowwave.memory import Memory, MemoryScope

Move = Callable[[Memory, MemoryScope | None], int]


@click.group(cls=Listing)
def command() -> None:
    """List embedding spaces, move scopes to SLOWWAVE_EMBEDDER, or cancel moves. Without a subcommand, list them."""


@command.command("list")
@tenant_option
@json_option
def list_(tenant: str | None, as_json: bool) -> None:
    """List the embedding spaces in use, and the progress of moves between them."""
    with opened(tenant) as parts:
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


@command.command
@scope_options(user_required=False, writes=True)
@json_option
def move(user: str | None, agent: str, channel: str, tenant: str | None, as_json: bool) -> None:
    """Make workers move the scope of --user (by default, every scope) to the embedding space of SLOWWAVE_EMBEDDER.

    Until the move of a scope is complete, recall searches its old space, with SLOWWAVE_EMBEDDER_BEFORE or the shipped
    embedder.
    """
    moved = _each(user, agent, channel, tenant, lambda memory, scope: memory.reembed(scope))
    if as_json:
        return print_json({"scopes": moved})
    click.echo(f"{counted(moved, 'scopes')} moving: `slowwave embedder` shows the progress")


@command.command
@scope_options(user_required=False, writes=True)
@json_option
def stay(user: str | None, agent: str, channel: str, tenant: str | None, as_json: bool) -> None:
    """Cancel the move of the scope of --user (by default, of every scope). The scopes keep their current space."""
    stayed = _each(user, agent, channel, tenant, lambda memory, scope: memory.keep_embedding(scope))
    if as_json:
        return print_json({"scopes": stayed})
    click.echo(f"{counted(stayed, 'scopes')} kept in place")


def _each(user: str | None, agent: str, channel: str, tenant: str | None, move: Move) -> int:
    with opened(tenant) as parts:
        memory = Memory(parts)
        return move(memory, None if user is None else memory.scope(user, agent=agent, channel=channel))
