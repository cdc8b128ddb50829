"""`slowwave graph`: the entities around a user, and the relations between them."""

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from slowwave.cli.options import Listing, json_option, opened, scope_options, scopes_to_query
from slowwave.cli.printing import cell, console, heading, in_words, print_json, short, table, utc
from slowwave.domain.graph import ConceptNode, MemoryGraph
from slowwave.memory import MemoryScope

if TYPE_CHECKING:
    from rich.table import Table


@click.group(cls=Listing)
def command() -> None:
    """Query the knowledge graph: entities and their relations. Without a subcommand, list the entities."""


@command.command("list")
@scope_options(user_required=False)
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=50,
    show_default=True,
    help="Maximum number of entities, and of facts.",
)
@json_option
def list_(
    user: str | None, agent: str | None, channel: str | None, tenant: str | None, limit: int, as_json: bool
) -> None:
    """List the entities with the most facts, and the facts about them."""
    with opened(tenant) as parts:
        scopes = [
            MemoryScope(parts, scope) for one in scopes_to_query(parts, user=user, agent=agent, channel=channel)
            for scope in one.reach
        ]  # fmt: skip
        found = [(scope, scope.graph.load(limit)) for scope in scopes]
    known = [(scope, graph) for scope, graph in found if graph.nodes]
    if as_json:
        return print_json([{"scope": scope.scope, **_plain(graph)} for scope, graph in known])
    if not known:
        return click.echo("no entities here yet: they come from facts, see `slowwave facts`")
    made = _table()
    for scope, graph in known:
        made.add_section()
        made.add_row(heading(scope.scope))
        for node in graph.nodes.values():
            _add(made, node)
    console().print(made)


@command.command
@click.argument("question")
@scope_options(user_required=True)
@click.option(
    "--depth", type=click.IntRange(1, 3), default=2, show_default=True, help="Maximum hops from the named entities."
)
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=5, show_default=True, help="Maximum number of entities."
)
@json_option
def ask(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, depth: int, limit: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Show the entities that QUESTION names, their neighbours, and the relations between all of these."""
    with opened(tenant) as parts:
        (scope,) = scopes_to_query(parts, user=user, agent=agent, channel=channel)
        graph = scope.graph.query(question, depth=depth, top_k=limit)
    if as_json:
        return print_json(_plain(graph))
    if not graph.nodes:
        return click.echo("no entity matches this question: `slowwave graph` lists the entities")
    made = _table()
    for node in graph.nodes.values():
        _add(made, node)
    console().print(made)
    for edge in graph.edges:
        click.echo(f"{short(edge.fact)}  {edge.text}")


@command.command
@click.argument("question")
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1_000), default=5, show_default=True, help="Maximum number of paths.")
@json_option
def walk(
    question: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int, as_json: bool
) -> None:
    """Show paths of facts that start at an entity in QUESTION and follow its relations; the last fact is the answer."""
    with opened(tenant) as parts:
        (scope,) = scopes_to_query(parts, user=user, agent=agent, channel=channel)
        paths = scope.graph.walk(question, limit)
    if as_json:
        return print_json(paths)
    if not paths:
        return click.echo("no path matches this question: `slowwave graph ask` shows the neighbours of its entities")
    made = table("score", "way", right=["score"])
    for path in paths:
        made.add_row(f"{path.score:.2f}", cell(" → ".join([path.start, *(fact.text for fact in path.facts)])))
    console().print(made)


@command.command
@click.argument("entity")
@scope_options(user_required=True)
@json_option
def describe(entity: str, user: str, agent: str | None, channel: str | None, tenant: str | None, as_json: bool) -> None:
    """Describe ENTITY, a name or an id, in a sentence or two, and show the facts behind the description."""
    with opened(tenant) as parts:
        (scope,) = scopes_to_query(parts, user=user, agent=agent, channel=channel)
        told = scope.graph.describe(entity)
    if as_json:
        return print_json({"text": told.text, **asdict(told)})
    node = told.entity
    click.echo(f"{node.label} ({node.type}): {told.text}" if node.type else f"{node.label}: {told.text}")
    for fact in told.facts:
        said = ", ".join(source.key for source in fact.sources)
        click.echo(f"{short(fact.id)}  {fact.text}" + (f"  from {said}" if said else ""))


@command.command
@click.argument("entity")
@scope_options(user_required=True)
@click.option("--limit", type=click.IntRange(1, 1_000), default=20, show_default=True, help="Maximum number of turns.")
@click.option("--before", help="Continue with older turns: the id or key of the last turn shown.")
@click.option("--archived", is_flag=True, help="Include archived conversations.")
@json_option
def mentions(
    entity: str, user: str, agent: str | None, channel: str | None, tenant: str | None, limit: int,
    before: str | None, archived: bool, as_json: bool,
) -> None:  # fmt: skip
    """List the turns that mention ENTITY, a name or an id, newest first."""
    with opened(tenant) as parts:
        (scope,) = scopes_to_query(parts, user=user, agent=agent, channel=channel)
        found = scope.graph.mentions(entity, limit, before=before, archived=archived)
    if as_json:
        return print_json(found)
    if not found:
        return click.echo("no turn mentions it")
    made = table("at", "session", "role", "words", "turn", "id")
    for one in found:
        told = one.episode
        words = cell("; ".join(dict.fromkeys(one.words)))
        made.add_row(utc(told.occurred), cell(told.session), told.role, words, cell(told.content), short(told.id))
    console().print(made)


@command.command
@scope_options(user_required=True, writes=True)
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=20, show_default=True, help="Maximum number of versions."
)
@json_option
def versions(user: str, agent: str, channel: str, tenant: str | None, limit: int, as_json: bool) -> None:
    """List the versions of a graph, newest first. Each run that changed facts makes a version."""
    with opened(tenant) as parts:
        (scope,) = scopes_to_query(parts, user=user, agent=agent, channel=channel)
        found = scope.graph.versions(limit)
    if as_json:
        return print_json(found)
    made = table(
        "version", "at", "run", "added", "said again", "ended", right=["version", "added", "said again", "ended"]
    )
    for one in found:
        run = "by hand" if one.run is None else str(one.run)
        made.add_row(str(one.version), utc(one.at), run, str(one.added), str(one.confirmed), str(one.ended))
    console().print(made)


@command.command
@scope_options(user_required=False)
def rebuild(user: str | None, agent: str | None, channel: str | None, tenant: str | None) -> None:
    """Rebuild graphs from the facts, after an upgrade or after a change of the predicates' object types."""
    with opened(tenant) as parts:
        scopes = dict.fromkeys(
            scope for one in scopes_to_query(parts, user=user, agent=agent, channel=channel) for scope in one.reach
        )
        known = set(parts.records.scopes(parts.settings.tenant))
        edges = [MemoryScope(parts, scope).graph.rebuild() for scope in scopes if scope in known]
    click.echo(in_words({"graphs": len(edges), "edges": sum(edges)}) or "there is nothing")


def _table() -> "Table":
    return table("entity", "type", "times", "also known as", "what is known", "id", right=["times"])


def _add(made: "Table", node: ConceptNode) -> None:
    made.add_row(
        cell(f"  {node.label}"), cell(node.type or ""), str(node.frequency), cell(", ".join(node.aliases)),
        cell(node.description), short(node.id),
    )  # fmt: skip


def _plain(graph: MemoryGraph) -> dict[str, object]:
    nodes = [asdict(node) | {"category": node.category} for node in graph.nodes.values()]
    return {"version": graph.version, "nodes": nodes, "edges": graph.edges}
