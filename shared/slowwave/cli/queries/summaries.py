"""`slowwave profile`, `summary`, `tree` and `unread`: what is known of a user and of sessions."""

from collections.abc import Sequence

import click

from slowwave.cli.options import ScopeOptions, in_scope, json_option, scope_options
from slowwave.cli.options.choices import Listing, limit_option, max_tokens_option
from slowwave.cli.printing import cell, console, one_line, print_json, short, table, utc
from slowwave.domain.queries.profile import ProfileEntry
from slowwave.domain.queries.summary import SUMMARY_TOKENS, resting
from slowwave.domain.queries.tree import TreeNode
from slowwave.formatting import language
from slowwave.memory import MemoryScope

long_option = max_tokens_option(SUMMARY_TOKENS, "each summary")


@click.command
@in_scope
@limit_option(20, "entries of each kind")
@json_option
def profile_command(scope: MemoryScope, limit: int, as_json: bool) -> None:
    """Show a user's profile: preferences, expertise, communication style and more, each with its fact."""
    profile = scope.profile(limit=limit)
    if as_json:
        return print_json(profile)
    if not profile.entries:
        return click.echo("no profile for this user: `slowwave facts` lists what is believed")
    for name in ("preferences", "expertise_areas", "communication_style", "metadata"):
        if part := getattr(profile, name):
            click.echo(click.style(name.replace("_", " "), bold=True))
            for entry in part:
                click.echo(_line(entry))


def _line(entry: ProfileEntry) -> str:
    again = f", said {entry.reasons['frequency']:.0f} times more" if entry.reasons["frequency"] else ""
    sure = click.style(f"strength {entry.reasons['strength']:.2f}{again}; {short(entry.fact.id)}", dim=True)
    return f"  {one_line(entry.fact.text)}  {sure}"


@click.command
@click.argument("session")
@in_scope
@max_tokens_option(SUMMARY_TOKENS, "the summary")
@json_option
def summary_command(session: str, scope: MemoryScope, max_tokens: int, as_json: bool) -> None:
    """Show the summary of SESSION: its most informative sentences, with the keys of their episodes."""
    found = scope.summary(session, max_tokens=max_tokens)
    if as_json:
        return print_json(found)
    for line in found.lines:
        click.echo(line.text)
        where = ", ".join(f"{source.key} at position {source.position}" for source in resting([line]))
        click.echo(click.style(one_line(f"      {where}"), dim=True))
    if not found.lines:
        click.echo("the session has no words to summarise, or its shortest sentence is over the limit")
    origin = "made from the turns" if found.fact is None else f"stored as fact {short(found.fact)}"
    footer = f"{found.tokens} tokens; up to position {found.covered}, {utc(found.at)}; {origin}; by: {found.by}"
    click.echo(click.style(one_line(footer), dim=True))


@click.group(cls=Listing)
def tree_command() -> None:
    """List, ask or rebuild the tree of session summaries. Without a subcommand, list the nodes."""


@tree_command.command("list")
@in_scope
@limit_option(100, "nodes")
@click.option("--under", metavar="ID", help="Only the children of this node.")
@long_option
@json_option
def list_(scope: MemoryScope, limit: int, under: str | None, max_tokens: int, as_json: bool) -> None:
    """List the nodes of the tree of session summaries, root first."""
    found = scope.tree.nodes(limit, under=under, max_tokens=max_tokens)
    _show(found, as_json=as_json)


@tree_command.command
@click.argument("question")
@in_scope
@limit_option(5, "nodes")
@long_option
@json_option
def ask(question: str, scope: MemoryScope, limit: int, max_tokens: int, as_json: bool) -> None:
    """Ask QUESTION; get the summaries nearest in meaning.

    Each node of the tree is a summary: of one session, or of a group of similar sessions. The answer may have nodes of
    any level.
    """
    found = scope.tree.search(question, limit, max_tokens=max_tokens)
    _show(found, as_json=as_json)


@tree_command.command
@scope_options(user_required=True, writes=True)
@json_option
def grow(options: ScopeOptions, as_json: bool) -> None:
    """Rebuild the tree from the existing summaries."""
    with options.scope() as scope:
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


@click.command
@in_scope
@limit_option(20, "turns")
@click.option("--before", metavar="ID", help="Continue with the turns before this one: an id or key.")
@json_option
def unread_command(scope: MemoryScope, limit: int, before: str | None, as_json: bool) -> None:
    """List a user's turns in languages that no pack or model reads, newest first, and print the setting to change.

    Such a turn yields no facts, but `slowwave recall` finds it.
    """
    found = scope.unread(limit, before=before)
    if as_json:
        return print_json(
            {"turns": found, "languages": found.languages, "reason": found.reason, "remedy": found.remedy}
        )
    if not found.languages:
        return click.echo("no unread turns in other languages are known here")
    made = table("when", "language", "session", "said", "id")
    for turn in found:
        one = turn.episode
        made.add_row(utc(one.occurred), language(turn.language), cell(one.session), cell(one.content), short(one.id))
    console().print(made)
    click.echo(" ".join(filter(None, (found.sentence, found.remedy))))
