"""`Graph`: the entities around a user and their relations, to query and to edit by hand."""

import uuid
from dataclasses import dataclass, replace

from slowwave.core.graph.edges import entity_id
from slowwave.domain.arguments import Description, Id, Metadata, Name, Names, Note, checked, checked_type
from slowwave.domain.graph import ConceptNode, RelationshipEdge
from slowwave.errors import FactConflictError
from slowwave.memory.graph.manual_edits import embed_names, entity_claims, relationship_claims, store_and_apply
from slowwave.memory.graph.mentions import MentionQueries
from slowwave.memory.graph.queries import id_of
from slowwave.store.graph import rebuild as rebuilding


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Graph(MentionQueries):
    """The graph of the entities around a user, as one agent knows them.

    The graph is a projection of the facts: each run that changes facts also updates the graph. An edge is a fact whose
    object is an entity, and ends when the fact ends. `load` and `versions` cover this agent and channel; `query` and
    `find` search where recall does, and each node names its `scope`.
    """

    @checked
    def rebuild(self) -> int:
        """Rebuild the graph from the facts, with the currently registered predicates; return its number of edges.

        Names without a vector of this embedder get one. Raises `Conflict` while a worker holds the scope.
        """
        _ = self._parts.registry  # includes the predicates of all packs; loaded before the transaction
        with self._parts.database.tenant(self.scope.tenant) as connection:
            edges = rebuilding.rebuild(connection, self.scope)
        embed_names(self._parts, self.scope)
        return edges

    @checked
    def upsert_entity(
        self,
        name: Name,
        *,
        type: Name | None = None,
        aliases: Names = (),
        description: Note = "",
        properties: Metadata | None = None,
        channel: Name | None = None,
        key: Name | None = None,
    ) -> ConceptNode:
        """Add or update an entity's type, names, description and properties, here or in another channel; return it.

        Each value becomes a fact based on an episode, so it can be explained and undone. Omitted values stay unchanged.
        With a *key*, a repeat changes nothing. Raises `Incorrect` if no value is given, `Conflict` while a worker holds
        the scope, and `Unavailable` while Postgres is down.
        """
        said = entity_claims(name, type=type, aliases=aliases, description=description, properties=properties or {})
        there = self._in(channel)
        store_and_apply(self._parts, there.scope, said, key=key)
        return there.node(name)

    @checked
    def create_relationship(
        self,
        source: Id,
        target: Id,
        rel_type: Name,
        properties: Metadata | None = None,
        *,
        channel: Name | None = None,
        key: Name | None = None,
    ) -> RelationshipEdge:
        """Add a relationship from *source* to *target*, each a name or an id; return it.

        It becomes a fact with the type as predicate (`WORKS_FOR` becomes `works_for`), under the usual rules: a repeat
        adds weight to the edge, and a single-valued predicate replaces its old value. Raises `Incorrect` for a type
        that is not a valid predicate, `NotFound` for an unknown id, `FactConflictError` if a person has to decide, and
        what `upsert_entity` raises.
        """
        there = self._in(channel)
        names = [there._name(end) for end in (source, target)]
        said = relationship_claims(names[0], names[1], rel_type, properties or {})
        (fact, *_) = store_and_apply(self._parts, there.scope, said, key=key)
        for edge in there.get_entity_graph([entity_id(there.scope.id, name) for name in names], 1).edges:
            if edge.fact == fact:
                return edge
        raise FactConflictError(
            f"{names[0]} {rel_type} {names[1]} was stored, but is not believed",
            hint="`slowwave review` lists open decisions, `slowwave deltas` shows the reason",
        )

    @checked
    def store_fact(
        self, subject: Name, predicate: Name, object: Description, *, channel: Name | None = None,
        key: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Store a fact with *subject*, *predicate* and *object*, under the usual rules; return the fact's id.

        If another fact stays believed instead, `why` of the returned id explains it. With a *key*, a repeat changes
        nothing. Raises what `create_relationship` raises.
        """
        (fact, *_) = store_and_apply(
            self._parts, self._in(channel).scope, relationship_claims(subject, object, predicate, {}), key=key
        )
        return fact

    def _name(self, entity: uuid.UUID | str) -> str:
        return entity if isinstance(entity, str) and id_of(entity) is None else self.node(entity).label

    def _in(self, channel: str | None) -> "Graph":
        return self if channel is None else replace(self, scope=replace(self.scope, channel=channel))
