"""`slowwave graph`: the entities around a user, and the relations between them."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from slowwave.cli.options import ScopeOptions, in_scope, json_option, opened, scope_options
from slowwave.cli.options.choices import Listing, limit_option
from slowwave.cli.printing import add_by_scope, cell, console, in_words, print_json, print_listing, short, table, utc
from slowwave.domain.graph import ConceptNode, MemoryGraph
from slowwave.memory import MemoryScope

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text


@click.group(cls=Listing)
def graph_command() -> None:
    """Query the knowledge graph: entities and their relations. Without a subcommand, list the entities."""


@graph_command.command("list")
@scope_options(user_required=False)
@limit_option(50, "entities, and of facts", 100_000)
@json_option
def list_(options: ScopeOptions, limit: int, as_json: bool) -> None:
    """List the entities with the most facts, and the facts about them."""
    with opened(options.tenant) as parts:
        scopes = options.reach(parts)
        found = [(scope, MemoryScope(parts, scope).graph.load(limit)) for scope in scopes]
    known = [(scope, graph) for scope, graph in found if graph.nodes]
    if as_json:
        return print_json([{"scope": scope, **_plain(graph)} for scope, graph in known])
    if not known:
        return click.echo("no entities here yet: they come from facts, see `slowwave facts`")
    made = _table()
    add_by_scope(made, ((scope, _row(node)) for scope, graph in known for node in graph.nodes.values()))
    console().print(made)


@graph_command.command
@click.argument("question")
@in_scope
@click.option(
    "--depth", type=click.IntRange(1, 3), default=2, show_default=True, help="Maximum hops from the named entities."
)
@limit_option(5, "entities")
@json_option
def ask(question: str, scope: MemoryScope, depth: int, limit: int, as_json: bool) -> None:
    """Show the entities that QUESTION names, and their neighbours. Also show the relations between these entities."""
    graph = scope.graph.query(question, depth=depth, top_k=limit)
    if as_json:
        return print_json(_plain(graph))
    if not graph.nodes:
        return click.echo("no entity matches this question: `slowwave graph` lists the entities")
    made = _table()
    for node in graph.nodes.values():
        made.add_row(*_row(node))
    console().print(made)
    for edge in graph.edges:
        click.echo(f"{short(edge.fact)}  {edge.text}")


@graph_command.command
@click.argument("question")
@in_scope
@limit_option(5, "paths")
@json_option
def walk(question: str, scope: MemoryScope, limit: int, as_json: bool) -> None:
    """Show paths of facts along the relations in QUESTION. A path starts at an entity, and the last fact of the path is
    the answer.
    """
    paths = scope.graph.walk(question, limit)
    print_listing(
        paths, as_json=as_json,
        none="no path matches this question: `slowwave graph ask` shows the neighbours of its entities",
        columns=["score", "way"], right=["score"],
        row=lambda path: [f"{path.score:.2f}", cell(" → ".join([path.start, *(fact.text for fact in path.facts)]))],
    )  # fmt: skip


@graph_command.command
@click.argument("entity")
@in_scope
@json_option
def describe(entity: str, scope: MemoryScope, as_json: bool) -> None:
    """Describe ENTITY, a name or an id, in a sentence or two. Also show the facts behind the description."""
    description = scope.graph.describe(entity)
    if as_json:
        return print_json({"text": description.text, **asdict(description)})
    node = description.entity
    click.echo(f"{node.label} ({node.type}): {description.text}" if node.type else f"{node.label}: {description.text}")
    for fact in description.facts:
        keys = ", ".join(source.key for source in fact.sources)
        click.echo(f"{short(fact.id)}  {fact.text}" + (f"  from {keys}" if keys else ""))


@graph_command.command
@click.argument("entity")
@in_scope
@limit_option(20, "turns")
@click.option("--before", help="Continue with older turns: the id or key of the last turn shown.")
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@json_option
def mentions(entity: str, scope: MemoryScope, limit: int, before: str | None, archived: bool, as_json: bool) -> None:
    """List the turns that mention ENTITY, a name or an id, newest first."""
    found = scope.graph.mentions(entity, limit, before=before, archived=archived)
    print_listing(
        found, as_json=as_json, none="no turn mentions it",
        columns=["at", "session", "role", "words", "turn", "id"],
        row=lambda one: [
            utc(one.episode.occurred), cell(one.episode.session), one.episode.role,
            cell("; ".join(dict.fromkeys(one.words))), cell(one.episode.content), short(one.episode.id),
        ],
    )  # fmt: skip


@graph_command.command
@scope_options(user_required=True, writes=True)
@limit_option(20, "versions")
@json_option
def versions(options: ScopeOptions, limit: int, as_json: bool) -> None:
    """List the versions of a graph, newest first. Each run that changed facts makes a version."""
    with options.scope() as scope:
        found = scope.graph.versions(limit)
    print_listing(
        found, as_json=as_json, none="no version here yet: the first run that learns a fact makes one",
        columns=["version", "at", "run", "added", "confirmed", "ended"],
        right=["version", "added", "confirmed", "ended"],
        row=lambda one: [
            str(one.version), utc(one.at), "by hand" if one.run is None else str(one.run), str(one.added),
            str(one.confirmed), str(one.ended),
        ],
    )  # fmt: skip


@graph_command.command
@scope_options(user_required=False)
def rebuild(options: ScopeOptions) -> None:
    """Rebuild graphs from the facts.

    Do this after an upgrade, or after a change of the predicates' object types.
    """
    with opened(options.tenant) as parts:
        scopes = dict.fromkeys(options.reach(parts))
        known = set(parts.records.scopes(parts.settings.tenant))
        edges = [MemoryScope(parts, scope).graph.rebuild() for scope in scopes if scope in known]
    click.echo(in_words({"graphs": len(edges), "edges": sum(edges)}) or "there is nothing")


def _table() -> "Table":
    return table("entity", "type", "times", "also known as", "what is known", "id", right=["times"])


def _row(node: ConceptNode) -> list["str | Text"]:
    return [
        cell(f"  {node.label}"), cell(node.type or ""), str(node.frequency), cell(", ".join(node.aliases)),
        cell(node.description), short(node.id),
    ]  # fmt: skip


def _plain(graph: MemoryGraph) -> dict[str, object]:
    nodes = [asdict(node) | {"category": node.category} for node in graph.nodes.values()]
    return {"version": graph.version, "nodes": nodes, "edges": graph.edges}
