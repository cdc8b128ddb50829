"""`slowwave tree`: the tree of session summaries."""

from collections.abc import Sequence

import click

from slowwave.cli.options import Listing, json_option, scope_options
from slowwave.cli.printing import one_line, print_json, short
from slowwave.cli.queries.printing import reading
from slowwave.domain.queries.summary import SUMMARY_TOKENS
from slowwave.domain.queries.tree import TreeNode

long_option = click.option(
    "--max-tokens",
    type=click.IntRange(1, 2**31 - 1),
    default=SUMMARY_TOKENS,
    show_default=True,
    help="Maximum tokens of each summary.",
)


@click.group(cls=Listing)
def command() -> None:
    """List, ask or rebuild the tree of session summaries. Without a subcommand, list the nodes."""


@command.command("list")
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=100, show_default=True, help="Maximum number of nodes.")
@click.option("--under", metavar="ID", help="Only the children of this node.")
@long_option
@json_option
def list_(
    user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, under: str | None,
    max_tokens: int, as_json: bool,
) -> None:  # fmt: skip
    """List the nodes of the tree, root first."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.tree.nodes(limit, under=under, max_tokens=max_tokens)
    _show(found, as_json=as_json)


@command.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1000), default=5, show_default=True, help="Maximum number of nodes.")
@long_option
@json_option
def ask(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, max_tokens: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Ask QUESTION; get the nodes, on any level, that are closest in meaning, nearest first."""
    with reading(user, agent, channel, tenant) as scope:
        found = scope.tree.search(question, limit, max_tokens=max_tokens)
    _show(found, as_json=as_json)


@command.command
@scope_options(user_required=True, writes=True)
@json_option
def grow(user: str, agent: str, channel: str, tenant: str | None, as_json: bool) -> None:
    """Rebuild the tree from the existing summaries."""
    with reading(user, agent, channel, tenant) as scope:
        nodes = scope.tree.grow()
    if as_json:
        return print_json({"nodes": nodes})
    click.echo(f"the tree has {nodes} nodes")


def _show(found: Sequence[TreeNode], *, as_json: bool) -> None:
    if as_json:
        return print_json(found)
    for node in found:
        score = "" if node.score is None else f"{node.score:.2f}  "
        what = f"session {node.session}" if node.session is not None else f"level {node.level}"
        click.echo(
            click.style(one_line(f"{score}{what}; {node.tokens} tokens; by: {node.by}; {short(node.id)}"), dim=True)
        )
        for line in node.lines:
            click.echo(f"  {line.text}")
    if not found:
        click.echo("no summaries here: `slowwave schedule run-now` makes them now")
