"""Queries of the graph: loading, search by name and vector, walks, and comparison of versions."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from slowwave.core.graph.path_search import Key
from slowwave.core.graph.relations import named_in
from slowwave.domain.arguments import (
    Id,
    Instance,
    Instant,
    Limit,
    Name,
    Names,
    Question,
    Share,
    checked,
    checked_type,
    id_of,
)
from slowwave.domain.fact import Fact
from slowwave.domain.graph import ConceptNode, GraphPath, GraphVersion, MemoryGraph, RelationshipEdge
from slowwave.domain.scope import Scope
from slowwave.errors import Incorrect, NotFound
from slowwave.memory.queries.access_tracking import counted_graph, counted_read
from slowwave.memory.verb_group import VerbGroup
from slowwave.ports import Vectors
from slowwave.ports.recall import embed_questions
from slowwave.retrieval.reach import Reads, reach_of
from slowwave.runtime.extras import needed
from slowwave.store.beliefs.facts import facts
from slowwave.store.graph import queries
from slowwave.store.graph.queries import Walked
from slowwave.store.graph.questions import walked

Depth = Annotated[int, Field(ge=1, le=3)]
"""The number of hops of a walk, at most three. With more hops, nearly every entity would be connected."""
Count = Annotated[int, Field(ge=1, le=100_000)]
Vector = Annotated[Sequence[Annotated[float, Field(allow_inf_nan=False)]], Field(max_length=16_000)]
OneGraph = Instance[MemoryGraph]

NEAR = 0.5
"""The minimum cosine at which an entity matches a question that names no entity."""


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class GraphQueries(VerbGroup):
    """The verbs that read the graph from the scopes in `reach`. *reads* selects these scopes."""

    reads: Reads = "agent"

    @checked
    def load(self, limit: Count = 20_000) -> MemoryGraph:
        """Return the graph of this agent and channel, with at most *limit* entities, most frequent first."""

        def read(connection: Any) -> MemoryGraph:
            nodes, edges = queries.whole(connection, self.scope.id, most=limit)
            here = {node.id: node for node in nodes}
            edges = [edge for edge in edges if edge.source in here and edge.target in here]
            return MemoryGraph(here, edges, queries.newest(connection, self.scope.id))

        return self._parts.database.read(self.scope.tenant, read)

    @checked
    def find(self, words: Question, limit: Limit = 5) -> list[ConceptNode]:
        """Return the entities named in *words*, longest name first, followed by the entities closest in meaning."""
        scopes, vector = self._scopes(), self._vector(words)

        def read(connection: Any) -> list[ConceptNode]:
            named = queries.known(connection, scopes, named_in(words))
            near = queries.near(connection, scopes, vector, space=self._space, most=limit)
            return queries.nodes(connection, list(dict.fromkeys([*named, *near]))[:limit], near)

        return self._parts.database.read(self.scope.tenant, read)

    @checked
    def query(
        self, question: Question, *, depth: Depth = 2, top_k: Limit = 5, at: Instant | None = None,
        session: Name | None = None,
    ) -> MemoryGraph:  # fmt: skip
        """Return the entities in *question* and their most important neighbours, *top_k* in all.

        If *question* names no entity, the walk starts at the entities nearest in meaning. The walk is breadth-first, up
        to *depth* hops along the heaviest edges. Schematic entities come first, then entities on a path between two
        named entities, then the nearest entities. *at* asks about another time. The graph is empty if no entity
        matches. The returned facts are counted as accessed; the audit log records the *session*.
        """
        searched = self._reach()
        scopes = [scope.id for scope in searched]

        def read(connection: Any) -> MemoryGraph:
            seeds = queries.known(connection, scopes, named_in(question))
            if not seeds:
                near = queries.near(connection, scopes, self._vector(question), space=self._space, most=top_k)
                seeds = [key for key, similarity in near.items() if similarity >= NEAR]
            return _important(connection, queries.around(connection, self.scope.id, seeds, depth=depth, at=at), top_k)

        return counted_graph(self._parts, searched, read, verb="graph.query", session=session, question=question)

    @checked
    def walk(
        self, question: Question, limit: Limit = 5, *, at: Instant | None = None, session: Name | None = None
    ) -> list[GraphPath]:
        """Return up to *limit* paths from an entity in *question* along relations named in the question, best first.

        The last fact of each path is the answer. Relations match the names, aliases and sentences of predicates. A path
        has at most five facts. At most one fact of a path may have a relation that the question does not name. *at*
        asks about another time. The list is empty if the question names no entity or no relation. The facts are counted
        as accessed; the audit log records the *session*.
        """
        scopes, paths = self._reach(), list[GraphPath]()
        _ = self._parts.predicates  # read before the transaction
        ids = [scope.id for scope in scopes]

        def read(connection: Any) -> list[Fact]:
            found = walked(connection, ids, question, most=limit, at=at)
            wanted = {link.fact for one in found for link in one.way.links}
            by_id = {fact.id: fact for fact in facts(connection, ids, as_of=at, named=wanted)} if wanted else {}
            paths[:] = [
                GraphPath(one.way.start.name, [by_id[link.fact] for link in one.way.links], one.score)
                for one in found
                if all(link.fact in by_id for link in one.way.links)
            ]
            return list({fact.id: fact for path in paths for fact in path.facts}.values())

        counted_read(self._parts, scopes, read, verb="graph.walk", session=session)
        return paths

    @checked
    def get_entity_graph(
        self, entity_ids: Sequence[Id], depth: Depth = 2, *, limit: Limit = 200, at: Instant | None = None,
        session: Name | None = None,
    ) -> MemoryGraph:  # fmt: skip
        """Return up to *limit* entities within *depth* hops of the entities *entity_ids*, and the edges between them.

        The returned facts are counted as accessed; the audit log records the *session*.
        """
        ids, searched = [_id(one) for one in entity_ids], self._reach()

        def read(connection: Any) -> MemoryGraph:
            seeds = queries.of_ids(connection, [scope.id for scope in searched], ids)
            return _important(connection, queries.around(connection, self.scope.id, seeds, depth=depth, at=at), limit)

        return counted_graph(self._parts, searched, read, verb="graph.get_entity_graph", session=session)

    @checked
    def node(self, entity: Id) -> ConceptNode:
        """Return an entity by its id or one of its names. Raises `NotFound`."""
        found = self._parts.database.read(
            self.scope.tenant, lambda connection: queries.nodes(connection, self._keys(connection, entity)[:1])
        )
        if not found:
            raise _unknown(entity)
        return found[0]

    @checked
    def format_as_context(self, graph: OneGraph) -> str:
        """Return *graph* as lines of text for a prompt, with schematic entities marked as core concepts.

        The text is empty for an empty graph.
        """
        with needed():
            from slowwave.core.graph.neighbourhood import as_context  # networkx takes long to import

        return as_context(graph.nodes.values())

    @checked
    def versions(self, limit: Limit = 20) -> list[GraphVersion]:
        """Return the versions of this graph, newest first.

        Each run that makes a decision in this scope makes a version.
        """
        return self._parts.database.read(
            self.scope.tenant, lambda connection: queries.versions(connection, self.scope.id, most=limit)
        )

    @checked
    def compare(self, before: Count, after: Count) -> tuple[list[RelationshipEdge], list[RelationshipEdge]]:
        """Return the edges that were added between the versions *before* and *after*, and the removed edges.

        Raises `NotFound`.
        """
        return self._parts.database.read(
            self.scope.tenant, lambda connection: queries.compared(connection, self.scope.id, before, after)
        )

    @checked
    def vector_search_entities(
        self, query_embedding: Vector, top_k: Limit = 10, channels: Names | None = None
    ) -> list[ConceptNode]:
        """Return the *top_k* entities nearest to *query_embedding*, a vector of the memory's embedder, best first.

        The search covers this scope, or the given *channels*.

        Raises `Incorrect` if the vector and the embedder differ in dimensions.
        """
        vector = self._given(query_embedding)

        def read(connection: Any) -> list[ConceptNode]:
            near = queries.near(connection, self._scopes(channels), vector, space=self._space, most=top_k)
            return queries.nodes(connection, list(near), near)

        return self._parts.database.read(self.scope.tenant, read)

    @checked
    def vector_search_facts(
        self, query_embedding: Vector, top_k: Limit = 10, channels: Names | None = None, min_confidence: Share = 0.0, *,
        session: Name | None = None,
    ) -> list[Fact]:  # fmt: skip
        """Return the *top_k* facts nearest to *query_embedding*, a vector of the memory's embedder, best first.

        The search covers this scope, or the given *channels*.

        The search covers only facts that are believed and true now, with a confidence of at least *min_confidence*. The
        facts are counted as accessed; the audit log records the *session*. Raises `Incorrect` if the vector and the
        embedder differ in dimensions.
        """
        vector, scopes = self._given(query_embedding), self._reach(channels)
        ids = [scope.id for scope in scopes]

        def read(connection: Any) -> list[Fact]:
            near = queries.near_facts(connection, ids, vector, space=self._space, most=top_k, sure=min_confidence)
            return sorted(facts(connection, ids, named=near), key=lambda fact: near.index(fact.id))

        return counted_read(self._parts, scopes, read, verb="graph.vector_search_facts", session=session)

    def _keys(self, connection: Any, entity: uuid.UUID | str) -> list[Key]:
        """Return the entities in `reach` whose name or id is *entity*. Raises `NotFound`."""
        scopes = self._scopes()
        keys = queries.known(connection, scopes, [str(entity)])
        keys = keys or queries.of_ids(connection, scopes, [one] if (one := id_of(entity)) else [])
        if not keys:
            raise _unknown(entity)
        return keys

    def _scopes(self, channels: Sequence[str] | None = None) -> list[uuid.UUID]:
        return [scope.id for scope in self._reach(channels)]

    def _reach(self, channels: Sequence[str] | None = None) -> list[Scope]:
        if channels:
            return [replace(self.scope, channel=channel) for channel in channels]
        return reach_of(self._parts.records, self.scope, self.reads)

    def _vector(self, words: str) -> Vectors:
        vector: Vectors = embed_questions(self._parts.embedder_for(self.scope), [words])[0]
        return vector

    def _given(self, embedding: Sequence[float]) -> Vectors:
        wanted = self._parts.embedder_for(self.scope).dimensions
        if len(embedding) != wanted:
            problem = f"query_embedding: has {len(embedding)} dimensions, the embedder has {wanted}"
            raise Incorrect.listing("the search", [problem], hint="embed the question with the memory's own embedder")
        given = np.asarray(embedding, dtype=np.float64)
        vector: Vectors = (given / (np.abs(given).max() or 1.0)).astype(np.float32)  # its length does not matter
        return vector

    @property
    def _space(self) -> str:
        return self._parts.embedder_for(self.scope).space


def _important(connection: Any, walked: Walked, most: int) -> MemoryGraph:
    """Return the most important entities of a walk, at most *most*, with descriptions and edges."""
    with needed():
        from slowwave.core.graph.neighbourhood import between, important  # networkx takes long to import

    joined = between(walked.edges, walked.seeds)
    selected = important(walked.nodes, walked.hops, joined, most)
    described = {
        node.id: node for node in queries.nodes(connection, [(walked.nodes[id_].scope, id_) for id_ in selected])
    }
    edges = [edge for edge in walked.edges if edge.source in described and edge.target in described]
    return MemoryGraph(described, edges, walked.version)


def _unknown(entity: uuid.UUID | str) -> NotFound:
    return NotFound(f"nothing is known of {entity} here", hint="`slowwave graph` lists the entities")


def _id(entity: uuid.UUID | str) -> uuid.UUID:
    found = id_of(entity)
    if found is None:
        raise Incorrect.listing(
            "the walk", [f"entities: {entity!r} is not an id"], hint="`graph.find` returns entities with their ids"
        )
    return found
