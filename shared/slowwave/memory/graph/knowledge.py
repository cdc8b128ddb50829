"""`Graph`: the entities around a user, and what holds between them; asked, and told by hand."""

import uuid
from dataclasses import dataclass, replace

from slowwave.core.graph.ends import entity_id
from slowwave.domain.arguments import Description, Id, Metadata, Name, Names, Note, checked, checked_type
from slowwave.domain.graph import ConceptNode, RelationshipEdge
from slowwave.errors import FactConflictError
from slowwave.memory.graph.asking import id_of
from slowwave.memory.graph.by_hand import embed_names, entity_told, relationship_told, tell
from slowwave.memory.graph.speaking import Speaking
from slowwave.store.graph import rebuilding


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Graph(Speaking):
    """The graph of the entities around a user, as one agent knows them.

    A projection of the facts, kept by the runs that make them: an edge is a fact whose object is an entity, and ends
    when the fact does. `load` and `versions` are of this agent and channel; `query` and `find` look where recall does,
    and each node has the `scope` it is of.
    """

    @checked
    def rebuild(self) -> int:
        """Make the graph anew from the facts, as the predicates are registered now; return the count of its edges.

        Names that have no vector of this embedder get one. Raises `Conflict` while a worker holds the scope.
        """
        _ = self._parts.registry  # what packs say of predicates counts, and is read before the transaction
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
        """Tell of an entity, in this channel or another: its type, other names, description, properties; return it.

        Each becomes a fact that rests on an episode of what was told: it can be asked why, and undone. What is left out
        stays as it is. With a *key*, a repeat changes nothing. Raises `Incorrect` for an entity of which nothing is
        told, `Conflict` while a worker holds the scope, and `Unavailable` while Postgres is away.
        """
        said = entity_told(name, type=type, aliases=aliases, description=description, properties=properties or {})
        there = self._in(channel)
        tell(self._parts, there.scope, said, key=key)
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
        """Tell that *source* has a relationship to *target*, both by name or id; return it.

        It becomes a fact, with the type as predicate (`WORKS_FOR` is `works_for`), by the rules of any: told again its
        edge gains weight, and where the predicate holds one value it replaces the other. Raises `Incorrect` for a type
        that is no predicate, `NotFound` for an id nobody knows, `FactConflictError` where a person has to decide, and
        what `upsert_entity` does.
        """
        there = self._in(channel)
        names = [there._name(end) for end in (source, target)]
        said = relationship_told(names[0], names[1], rel_type, properties or {})
        (fact, *_) = tell(self._parts, there.scope, said, key=key)
        for edge in there.get_entity_graph([entity_id(there.scope.id, name) for name in names], 1).edges:
            if edge.fact == fact:
                return edge
        raise FactConflictError(
            f"that {names[0]} {rel_type} {names[1]} is told, and not believed",
            hint="`slowwave review` lists what a person has to decide, `slowwave deltas` why it was left",
        )

    @checked
    def store_fact(
        self, subject: Name, predicate: Name, object: Description, *, channel: Name | None = None,
        key: Name | None = None,
    ) -> uuid.UUID:  # fmt: skip
        """Tell that *subject* has *object* as its *predicate*, by the rules of any; return the fact that is held of it.

        Where another fact stays believed in its place, `why` of the returned id says so. With a *key*, a repeat changes
        nothing. Raises what `create_relationship` does.
        """
        (fact, *_) = tell(
            self._parts, self._in(channel).scope, relationship_told(subject, object, predicate, {}), key=key
        )
        return fact

    def _name(self, entity: uuid.UUID | str) -> str:
        return entity if isinstance(entity, str) and id_of(entity) is None else self.node(entity).label

    def _in(self, channel: str | None) -> "Graph":
        return self if channel is None else replace(self, scope=replace(self.scope, channel=channel))
