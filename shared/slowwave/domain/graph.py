"""The values of the knowledge graph: entities, concepts, relations between entities, and versions."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many, since

SCHEMATIC_FREQUENCY = 5
"""The frequency from which an entity is schematic, which means that it is a hub of the graph (Grampus F3)."""

Category = Literal["schematic", "regular"]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """An entity without its description. It has the id of the scope, the name, and the frequency."""

    scope: uuid.UUID
    label: str
    frequency: int

    @property
    def category(self) -> Category:
        """`schematic` if the frequency is at least 5, else `regular`."""
        return "schematic" if self.frequency >= SCHEMATIC_FREQUENCY else "regular"


@dataclass(frozen=True, slots=True)
class ConceptNode:
    """A person or thing that is the subject or object of facts, with all names of this entity.

    *frequency* is the number of believed facts about the entity, plus the number of episodes that repeated them. *type*
    says, for example, that the entity is a person or a place; it is None if unknown. *description* is a text that was
    set by hand, or the sentences of the most important facts. *described_by* has the ids of these facts. *properties*
    come from facts that name no other entity. *similarity* is the similarity to the query, or None without a query.
    """

    id: uuid.UUID
    scope: Scope
    label: str
    aliases: tuple[str, ...]
    type: str | None
    description: str
    frequency: int
    properties: Mapping[str, str]
    first_seen: datetime
    last_seen: datetime
    similarity: float | None = None
    described_by: tuple[uuid.UUID, ...] = ()

    @property
    def category(self) -> Category:
        """`schematic` if the frequency is at least 5, else `regular`."""
        return "schematic" if self.frequency >= SCHEMATIC_FREQUENCY else "regular"

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The category, type, other names and properties of the entity."""
        fields = {"type": self.type, "aliases": list(self.aliases), **self.properties}
        return {"category": self.category, **{name: value for name, value in fields.items() if value}}

    def __repr__(self) -> str:
        return brief(self, self.label, self.type, f"{self.frequency} times", self.category, id=self.id)


@dataclass(frozen=True, slots=True)
class Described:
    """A description of an entity in a sentence or two, and the *facts* that it was made from, with their source
    episodes.
    """

    entity: ConceptNode
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        """The description that was set by hand, or the sentences.

        It is empty if there are no facts about the entity.
        """
        texts = [fact.text for fact in self.facts]
        by_hand = "; ".join(texts) != self.entity.description
        return self.entity.description if by_hand else "".join(f"{one.rstrip('.')}. " for one in texts).rstrip()

    def __repr__(self) -> str:
        return brief(self, self.text, id=self.entity.id)


@dataclass(frozen=True, slots=True)
class RelationshipEdge:
    """A fact between two entities. *fact* is the id of the fact; pass it to `why` for an explanation.

    The fact is true in the world from *valid_from* to *valid_to*. If an end is None, the range is open. *weight* counts
    how often somebody said the fact. *properties* are the properties of a relationship that was created by hand.
    """

    fact: uuid.UUID
    source: uuid.UUID
    target: uuid.UUID
    type: str
    weight: int
    text: str
    confidence: float
    valid_from: datetime | None
    valid_to: datetime | None
    properties: Mapping[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return brief(self, self.text, since(self.valid_to, "until"), f"weight {self.weight}", id=self.fact)


@dataclass(frozen=True, slots=True)
class MemoryGraph:
    """Entities by id, most important first, and their relations, in one *version* of a scope's graph."""

    nodes: Mapping[uuid.UUID, ConceptNode]
    edges: Sequence[RelationshipEdge]
    version: int

    def named(self, name: str) -> ConceptNode | None:
        """Return the entity with this *name*, or None if no entity of this graph has the name."""
        wanted = name.casefold()
        for node in self.nodes.values():
            if wanted in (one.casefold() for one in (node.label, *node.aliases)):
                return node
        return None

    def __repr__(self) -> str:
        return brief(self, many(len(self.nodes), "node"), many(len(self.edges), "edge"), f"version {self.version}")


@dataclass(frozen=True, slots=True)
class GraphPath:
    """One path of *facts* from an entity that a question names to an answer. The last fact is the answer.

    *start* is the entity's name in the question. *score*, from 0 to 1, is the share of the question's relation words
    that match the facts.
    """

    start: str
    facts: Sequence[Fact]
    score: float

    @property
    def answer(self) -> Fact:
        """The last fact of the path."""
        return self.facts[-1]

    def __repr__(self) -> str:
        return brief(self, " → ".join([self.start, *(one.text for one in self.facts)]), f"score {self.score:.2f}")


@dataclass(frozen=True, slots=True)
class GraphVersion:
    """One version of a scope's graph, with the numbers of facts that the change *added*, *confirmed* and *ended*.

    *run* is the run that made the change, or None for a change by hand.
    """

    version: int
    run: int | None
    at: datetime
    added: int
    confirmed: int
    ended: int

    def __repr__(self) -> str:
        return brief(self, f"{self.added} added", f"{self.confirmed} confirmed", f"{self.ended} ended", id=self.version)
