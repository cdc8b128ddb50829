"""Entities added by hand: an episode that states the change, and claims based on it."""

import re
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slowwave.domain.claim import Claim, claimed
from slowwave.domain.episode import Episode, key_or_new
from slowwave.domain.scope import Scope
from slowwave.errors import Fault, Incorrect
from slowwave.inference.embedders.before_transaction import embed_before_transaction
from slowwave.memory import ingestion
from slowwave.ports import Embedder
from slowwave.store.beliefs.manual_claims import apply_claims
from slowwave.store.embedding_spaces import space_number
from slowwave.store.graph.projection import remember
from slowwave.store.graph.queries import BY_HAND
from slowwave.store.graph.rebuild import unembedded
from slowwave.store.inbox.episodes import by_ids
from slowwave.store.work_queue.leases import take_by_hand
from slowwave.wiring import Parts

SESSION = "graph"
"""The session of episodes for edits by hand."""

BATCH = 1_000
"""Names per batch of the embedder."""

_PREDICATE = re.compile(r"[a-z][a-z0-9_]*")
ManualEpisode = tuple[str, str, str]
"""Subject, predicate and object."""


@dataclass(frozen=True, slots=True)
class ManualClaim:
    """Claims to make about the graph, and data stored with them."""

    said: Sequence[ManualEpisode]
    beside: Mapping[str, Any] = field(default_factory=dict)


def entity_claims(
    name: str, *, type: str | None, aliases: Sequence[str], description: str, properties: Mapping[str, Any]
) -> ManualClaim:
    """Return the claims about an entity. Raises `Incorrect` for invalid properties, and if nothing is given."""
    names = {key: predicate(key) for key in properties}
    problems = [f"properties.{key}: is not a property name" for key, name_ in names.items() if name_ is None]
    problems += [
        f"properties.{key}: expected a string, a number or a boolean" for key, value in properties.items()
        if not isinstance(value, str | int | float | bool) or not str(value).strip()
    ]  # fmt: skip
    said = [("type", type), *(("also_known_as", one) for one in aliases), ("description", description.strip())]
    said += [(name_, str(properties[key])) for key, name_ in names.items() if name_]
    told = [(name, relation, object_) for relation, object_ in said if object_]
    if not told and not problems:
        problems.append("nothing is given: expected a type, aliases, a description or properties")
    if problems:
        raise Incorrect.listing("the entity", problems, hint="an entity needs at least one statement")
    return ManualClaim(told)


def relationship_claims(source: str, target: str, rel_type: str, properties: Mapping[str, Any]) -> ManualClaim:
    """Return the claims about a relationship. Raises `Incorrect` for a type that is not a valid predicate."""
    relation = predicate(rel_type)
    if relation is None:
        problem = f"rel_type: {rel_type!r} is not a relationship name"
        raise Incorrect.listing("the relationship", [problem], hint="write it like WORKS_FOR: letters, digits and _")
    return ManualClaim([(source, relation, target)], {"properties": dict(properties)} if properties else {})


def predicate(name: str) -> str | None:
    """Return *name* as a predicate: lower case, with `_` between words; None if it is not valid.

    >>> [predicate(name) for name in ("WORKS_FOR", "Works for", "1st")]
    ['works_for', 'works_for', None]
    """
    told = re.sub(r"[\s-]+", "_", name.strip()).casefold()
    return told if _PREDICATE.fullmatch(told) else None


def embed_names(parts: Parts, scope: Scope) -> None:
    """Embed the names of a scope's entities that lack a vector. Raises `Conflict` while a worker holds the scope."""
    embedder = parts.embedder_for(scope)
    while True:
        with parts.database.tenant(scope.tenant) as connection:
            space = space_number(connection, embedder.space, embedder.dimensions)
            names = unembedded(connection, scope.id, space, most=BATCH)
        vectors = dict(zip(names, embedder.embed(names), strict=True))
        with parts.database.tenant(scope.tenant) as connection:
            take_by_hand(connection, scope)
            remember(connection, scope.id, vectors, space)
        if len(names) < BATCH:
            return


def store_and_apply(parts: Parts, scope: Scope, manual_claim: ManualClaim, *, key: str | None) -> list[uuid.UUID]:
    """Store an episode that states *manual_claim*, and apply its claims; return the ids of the resulting facts.

    If a worker holds the scope, this stores the episode, applies nothing and raises `Conflict`: repeat the call with
    the same *key*. Raises `Incorrect` if the text contains a secret.
    """
    sentences = [
        " ".join([subject, relation.replace("_", " "), object_]) for subject, relation, object_ in manual_claim.said
    ]
    fields = [{relation: object_} for _, relation, object_ in manual_claim.said]
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
        for ordinal, (words, (subject, relation, object_)) in enumerate(zip(sentences, manual_claim.said, strict=True))
    ]

    def apply(embedder: Embedder) -> list[uuid.UUID]:
        with parts.database.tenant(scope.tenant) as connection:
            return apply_claims(connection, scope, claims, embedder)

    return embed_before_transaction(parts.embedder_for(scope), apply)
