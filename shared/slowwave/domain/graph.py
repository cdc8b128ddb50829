"""The values of the knowledge graph: entities, concepts, the relations between them, and versions."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope
from slowwave.formatting import brief, many, since

SCHEMATIC_FREQUENCY = 5
"""The frequency from which an entity is schematic: a hub of the graph (Grampus F3)."""

Category = Literal["schematic", "regular"]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """An entity without its description: the id of its scope, its name, and its frequency."""

    scope: uuid.UUID
    label: str
    frequency: int

    @property
    def category(self) -> Category:
        """`schematic` from a frequency of 5 on, else `regular`."""
        return "schematic" if self.frequency >= SCHEMATIC_FREQUENCY else "regular"


@dataclass(frozen=True, slots=True)
class ConceptNode:
    """A person or thing that is the subject or object of facts, with all its names.

    *frequency* counts the believed facts about the entity, and each episode that repeated one of them. *type* is a
    person, a place or the like, None if unknown. *description* is a text set by hand, else the sentences of the most
    important facts, whose ids are in *described_by*. *properties* come from facts that name no other entity.
    *similarity* is to the query, None without a query.
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
        """`schematic` from a frequency of 5 on, else `regular`."""
        return "schematic" if self.frequency >= SCHEMATIC_FREQUENCY else "regular"

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Its category, type, other names and properties."""
        fields = {"type": self.type, "aliases": list(self.aliases), **self.properties}
        return {"category": self.category, **{name: value for name, value in fields.items() if value}}

    def __repr__(self) -> str:
        return brief(self, self.label, self.type, f"{self.frequency} times", self.category, id=self.id)


@dataclass(frozen=True, slots=True)
class Described:
    """A description of an entity in a sentence or two, and the *facts* behind it, with their source episodes."""

    entity: ConceptNode
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        """The description set by hand, else the sentences; empty if there are no facts about the entity."""
        told = [fact.text for fact in self.facts]
        by_hand = "; ".join(told) != self.entity.description
        return self.entity.description if by_hand else "".join(f"{one.rstrip('.')}. " for one in told).rstrip()

    def __repr__(self) -> str:
        return brief(self, self.text, id=self.entity.id)


@dataclass(frozen=True, slots=True)
class RelationshipEdge:
    """A fact between two entities. *fact* is its id and that of the delta that made it: `why` explains it.

    The fact is true in the world from *valid_from* to *valid_to*; an end of None is open. *weight* counts how often
    somebody said it. *properties* are those of a relationship created by hand.
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
    """Entities by id, most important first, and their relations, in one *version* of the scope's graph."""

    nodes: Mapping[uuid.UUID, ConceptNode]
    edges: Sequence[RelationshipEdge]
    version: int

    def named(self, name: str) -> ConceptNode | None:
        """Return the entity with this *name*, or None if it is not in this graph."""
        wanted = name.casefold()
        for node in self.nodes.values():
            if wanted in (one.casefold() for one in (node.label, *node.aliases)):
                return node
        return None

    def __repr__(self) -> str:
        return brief(self, many(len(self.nodes), "node"), many(len(self.edges), "edge"), f"version {self.version}")


@dataclass(frozen=True, slots=True)
class GraphPath:
    """One path from an entity named in a question to an answer: its *facts*, the last of which is the answer.

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
    """One version of a scope's graph: how many facts its *run* (None: by hand) added, confirmed and ended."""

    version: int
    run: int | None
    at: datetime
    added: int
    confirmed: int
    ended: int

    def __repr__(self) -> str:
        return brief(self, f"{self.added} added", f"{self.confirmed} confirmed", f"{self.ended} ended", id=self.version)
