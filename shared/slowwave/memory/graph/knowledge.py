"""`Graph`: queries and manual edits of the entities around a user, and of their relations."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slowwave.core.graph.edges import entity_id
from slowwave.domain.arguments import Description, Id, Metadata, Name, Names, Note, checked, checked_type, id_of
from slowwave.domain.claim import Claim, claimed
from slowwave.domain.episode import Episode, key_or_new
from slowwave.domain.graph import ConceptNode, RelationshipEdge
from slowwave.domain.scope import Scope
from slowwave.errors import FactConflictError, Fault, Incorrect
from slowwave.inference.embedders.vectors import embed_before_transaction
from slowwave.memory import ingestion
from slowwave.memory.graph.mentions import MentionQueries
from slowwave.ports import Embedder
from slowwave.store.beliefs.manual_corrections import apply_claims
from slowwave.store.graph import rebuild as rebuilding
from slowwave.store.graph.projection import store_names
from slowwave.store.graph.queries import BY_HAND
from slowwave.store.graph.rebuild import unembedded
from slowwave.store.inbox.stored_episodes import by_ids
from slowwave.store.transaction import space_number
from slowwave.store.work_queue.leases import take_by_hand
from slowwave.wiring import Parts

SESSION = "graph"
"""The session of the episodes that manual edits store."""

BATCH = 1_000
"""The number of names per batch of the embedder."""

_PREDICATE = re.compile(r"[a-z][a-z0-9_]*")
ManualEpisode = tuple[str, str, str]
"""Subject, predicate and object."""


@dataclass(frozen=True, slots=True)
class ManualClaim:
    """The claims of a manual edit of the graph, and data stored with the claims."""

    triples: Sequence[ManualEpisode]
    beside: Mapping[str, Any] = field(default_factory=dict)


def entity_claims(
    name: str, *, type: str | None, aliases: Sequence[str], description: str, properties: Mapping[str, Any]
) -> ManualClaim:
    """Return the claims about an entity. Raises `Incorrect` for invalid properties, or if no value is given."""
    names = {key: predicate(key) for key in properties}
    problems = [f"properties.{key}: is not a property name" for key, name_ in names.items() if name_ is None]
    problems += [
        f"properties.{key}: expected a string, a number or a boolean" for key, value in properties.items()
        if not isinstance(value, str | int | float | bool) or not str(value).strip()
    ]  # fmt: skip
    pairs = [("type", type), *(("also_known_as", one) for one in aliases), ("description", description.strip())]
    pairs += [(name_, str(properties[key])) for key, name_ in names.items() if name_]
    triples = [(name, relation, object_) for relation, object_ in pairs if object_]
    if not triples and not problems:
        problems.append("nothing is given: expected a type, aliases, a description or properties")
    if problems:
        raise Incorrect.listing("the entity", problems, hint="an entity needs at least one statement")
    return ManualClaim(triples)


def relationship_claims(source: str, target: str, rel_type: str, properties: Mapping[str, Any]) -> ManualClaim:
    """Return the claims about a relationship. Raises `Incorrect` for a type that is not a valid predicate."""
    relation = predicate(rel_type)
    if relation is None:
        problem = f"rel_type: {rel_type!r} is not a relationship name"
        raise Incorrect.listing("the relationship", [problem], hint="write it like WORKS_FOR: letters, digits and _")
    return ManualClaim([(source, relation, target)], {"properties": dict(properties)} if properties else {})


def predicate(name: str) -> str | None:
    """Return *name* as a predicate, in lower case and with `_` between words; None if *name* is not a valid predicate.

    >>> [predicate(name) for name in ("WORKS_FOR", "Works for", "1st")]
    ['works_for', 'works_for', None]
    """
    normalized = re.sub(r"[\s-]+", "_", name.strip()).casefold()
    return normalized if _PREDICATE.fullmatch(normalized) else None


def embed_names(parts: Parts, scope: Scope) -> None:
    """Add the missing vectors for the names of a scope's entities. Raises `Conflict` while a worker holds the scope."""
    embedder = parts.embedder_for(scope)
    while True:
        with parts.database.tenant(scope.tenant) as connection:
            space = space_number(connection, embedder.space, embedder.dimensions)
            names = unembedded(connection, scope.id, space, most=BATCH)
        vectors = dict(zip(names, embedder.embed(names), strict=True))
        with parts.database.tenant(scope.tenant) as connection:
            take_by_hand(connection, scope)
            store_names(connection, scope.id, vectors, space)
        if len(names) < BATCH:
            return


def store_and_apply(parts: Parts, scope: Scope, manual_claim: ManualClaim, *, key: str | None) -> list[uuid.UUID]:
    """Store an episode that states *manual_claim*, and apply its claims; return the ids of the resulting facts.

    If a worker holds the scope, the function stores the episode, applies no claim and raises `Conflict`. Repeat the
    call with the same *key* to apply the claims. Raises `Incorrect` if the text contains a secret.
    """
    sentences = [
        " ".join([subject, relation.replace("_", " "), object_]) for subject, relation, object_ in manual_claim.triples
    ]
    fields = [{relation: object_} for _, relation, object_ in manual_claim.triples]
    parts.masking.refuse([sentences, fields, dict(manual_claim.beside)], "the edit of the graph")
    episode = Episode(
        content="\n".join(sentences),
        session=SESSION,
        role="tool",
        kind="message",
        metadata=dict(manual_claim.beside),
        key=key_or_new(key),
    )
    receipt = ingestion.push(parts, scope, episode)
    if receipt.id is None or receipt.state == "spooled":
        raise Fault("the edit of the graph waits in the outbox", hint="repeat it once Postgres is back")
    with parts.database.tenant(scope.tenant) as connection:
        (stored,) = by_ids(connection, scope.id, [receipt.id])
    claims: list[Claim] = [
        replace(claimed(stored, words, relation, object_, subject=subject, rule=BY_HAND), ordinal=ordinal)
        for ordinal, (words, (subject, relation, object_)) in enumerate(
            zip(sentences, manual_claim.triples, strict=True)
        )
    ]

    def apply(embedder: Embedder) -> list[uuid.UUID]:
        with parts.database.tenant(scope.tenant) as connection:
            return apply_claims(connection, scope, claims, embedder)

    return embed_before_transaction(parts.embedder_for(scope), apply)


@checked_type
@dataclass(frozen=True, slots=True, repr=False)
class Graph(MentionQueries):
    """The graph of the entities around a user, as one agent knows them.

    The graph is a projection of the facts: each run that changes facts also updates the graph. An edge is a fact whose
    object is an entity. The edge ends when the fact ends. `load` and `versions` cover this agent and channel. `query`
    and `find` search the same scopes as `recall`, and each node names its `scope`.
    """

    @checked
    def rebuild(self) -> int:
        """Rebuild the graph from the facts, with the currently registered predicates; return the number of edges.

        Names without a vector of this embedder get a vector. Raises `Conflict` while a worker holds the scope.
        """
        _ = self._parts.registry  # includes the predicates of all packs, loaded before the transaction
        with self._parts.database.tenant(self.scope.tenant) as connection:
            edges = rebuilding.rebuild(connection, self.scope)
        embed_names(self._parts, self.scope)
        return edges

    @checked
    def upsert_entity(
        self, name: Name, *, type: Name | None = None, aliases: Names = (), description: Note = "",
        properties: Metadata | None = None, channel: Name | None = None, key: Name | None = None,
    ) -> ConceptNode:  # fmt: skip
        """Add or update an entity's type, names, description and properties; return the entity.

        The default of *channel* is this scope's channel. Each value becomes a fact based on an episode, so `why` can
        explain the value, and `undo` can remove it. Omitted values stay unchanged. With a *key*, a repeat changes
        nothing. Raises `Incorrect` if no value is given, `Conflict` while a worker holds the scope, and `Unavailable`
        while Postgres is down.
        """
        claim = entity_claims(name, type=type, aliases=aliases, description=description, properties=properties or {})
        there = self._in(channel)
        store_and_apply(self._parts, there.scope, claim, key=key)
        return there.node(name)

    @checked
    def create_relationship(
        self, source: Id, target: Id, rel_type: Name, properties: Metadata | None = None, *,
        channel: Name | None = None, key: Name | None = None,
    ) -> RelationshipEdge:  # fmt: skip
        """Add a relationship from *source* to *target* (names or ids of entities); return the relationship.

        The relationship becomes a fact with the type as predicate (`WORKS_FOR` becomes `works_for`), under the usual
        rules. A repeat adds weight to the edge. If the predicate is single-valued, the new value replaces the old
        value. Raises `Incorrect` for a type that is not a valid predicate, `NotFound` for an unknown id,
        `FactConflictError` if a person has to decide, and the errors of `upsert_entity`.
        """
        there = self._in(channel)
        names = [there._name(end) for end in (source, target)]
        claim = relationship_claims(names[0], names[1], rel_type, properties or {})
        (fact, *_) = store_and_apply(self._parts, there.scope, claim, key=key)
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

        If an existing fact stays believed instead, `why` with the returned id explains the reason. With a *key*, a
        repeat changes nothing. Raises the errors of `create_relationship`.
        """
        (fact, *_) = store_and_apply(
            self._parts, self._in(channel).scope, relationship_claims(subject, object, predicate, {}), key=key
        )
        return fact

    def _name(self, entity: uuid.UUID | str) -> str:
        return entity if isinstance(entity, str) and id_of(entity) is None else self.node(entity).label
