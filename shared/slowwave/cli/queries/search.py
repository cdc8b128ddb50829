"""`slowwave search-index`, `timeline`, `entries` and `remember`: a search in stages, or all at once."""

import uuid
from collections.abc import Sequence

import click

from slowwave.cli.options import in_scope, json_option
from slowwave.cli.options.choices import limit_option, several_option
from slowwave.cli.printing import one_line, print_json, short, utc
from slowwave.domain.fact import Fact
from slowwave.domain.queries.bundle import MemoryBundle
from slowwave.domain.queries.index import IndexEntry
from slowwave.domain.recollection import Remembered
from slowwave.memory import MemoryScope


@click.command
@click.argument("question")
@in_scope
@limit_option(20, "entries")
@several_option("--kind", "kinds", "Only this kind of memory", Remembered)
@several_option("--exclude-session", "others", "Exclude this session")
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@click.option("--include-external", is_flag=True, help="Also search the external memories of SLOWWAVE_SOURCES.")
@json_option
def search_index_command(
    question: str, scope: MemoryScope, limit: int,
    kinds: tuple[Remembered, ...], others: tuple[str, ...], archived: bool, include_external: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Ask QUESTION; get the beginnings of the matching memories, with ids and token counts.

    `slowwave timeline ID` shows the episodes around a memory; `slowwave entries ID ...` shows memories in full.
    """
    found = scope.search_index(
        question, limit=limit, kinds=list(kinds) or None, exclude_sessions=others or None, archived=archived,
        include_external=include_external,
    )  # fmt: skip
    for name, why in found.failed.items():
        click.echo(f"the source {name} {why}", err=True)
    _show_index(found, as_json=as_json)


@click.command
@click.argument("anchor", metavar="ID")
@in_scope
@click.option(
    "--before", type=click.IntRange(0, 1000), default=5, show_default=True, help="Number of episodes before the memory."
)
@click.option(
    "--after", type=click.IntRange(0, 1000), default=5, show_default=True, help="Number of episodes after the memory."
)
@json_option
def timeline_command(anchor: str, scope: MemoryScope, before: int, after: int, as_json: bool) -> None:
    """Show the first words of the episodes before and after the memory ID. If ID is a fact, the command shows the
    episodes around its latest source."""
    found = scope.timeline(anchor, before=before, after=after)
    _show_index(found, as_json=as_json)


@click.command
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@in_scope
@json_option
def entries_command(ids: tuple[str, ...], scope: MemoryScope, as_json: bool) -> None:
    """Show memories in full. Each ID is an id from `slowwave search-index`, or an episode's key."""
    found = scope.entries(list(ids))
    if as_json:
        return print_json(found)
    for one in found:
        kind, text = ("fact", one.text) if isinstance(one, Fact) else ("episode", one.content)
        click.echo(text)
        click.echo(click.style(one_line(f"      {kind} {short(one.id)}; session {one.session}"), dim=True))


@click.command
@click.argument("question")
@in_scope
@limit_option(5, "memories of each kind")
@click.option("--hours", type=click.IntRange(1), help="Number of past hours to search for turns and facts.")
@json_option
def remember_command(question: str, scope: MemoryScope, limit: int, hours: int | None, as_json: bool) -> None:
    """Ask QUESTION; get relevant turns, facts, entities and strategies, the active goals and the user's profile."""
    found = scope.remember(question, top_k=limit, time_window_hours=hours)
    if as_json:
        return print_json(found)
    for kind, lines in _lines(found):
        click.echo(click.style(kind, bold=True) if lines else click.style(f"{kind}: none", dim=True))
        for line in lines:
            click.echo(f"  {line}")


def _lines(found: MemoryBundle) -> Sequence[tuple[str, list[str]]]:
    return [
        ("turns", [f"{one_line(one.text)}  {short(one.id)}" for one in found.turns]),
        ("facts", [f"{one_line(one.text)}  {short(one.id)}" for one in found.facts]),
        ("entities", [f"{one_line(one.label)}  {short(one.id)}" for one in found.entities]),
        ("strategies", [f"{one_line(one.description)}  {short(one.id)}" for one in found.strategies]),
        ("goals", [f"{one_line(one.description)}  {short(one.goal_id)}" for one in found.goals]),
        ("profile", [f"{one_line(one.fact.text)}  {short(one.fact.id)}" for one in found.profile.entries]),
    ]


def _show_index(entries: Sequence[IndexEntry], *, as_json: bool) -> None:
    """Print the entries of an index, one per line."""
    if as_json:
        return print_json(entries)
    for one in entries:
        whence = ", ".join(part for part in (one.role, one.session and f"session {one.session}", one.tier) if part)
        score = "" if one.score is None else f"{one.score:.2f}  "
        click.echo(f"{score}{one_line(one.preview)}")
        name = f"{one.kind} {short(one.id)}" if isinstance(one.id, uuid.UUID) else f"of {one.source}, {one.id}"
        text = f"      {name}; {one.tokens} tokens; {whence}; {utc(one.occurred)}"
        click.echo(click.style(one_line(text), dim=True))
    if not entries:
        click.echo("no memory matches")
