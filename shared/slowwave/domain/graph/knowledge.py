"""Entities and concepts, what holds between them, and the versions of it all."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from slowwave.brief import brief, many, since
from slowwave.domain.fact import Fact
from slowwave.domain.scope import Scope

SCHEMATIC_FREQUENCY = 5
"""Entities of which so much is said and believed are what everything else hangs on (Grampus F3)."""

Category = Literal["schematic", "regular"]


@dataclass(frozen=True, slots=True)
class Glimpse:
    """An entity before it is described: the id of its scope, its name, and how often it is spoken of."""

    scope: uuid.UUID
    label: str
    frequency: int

    @property
    def category(self) -> Category:
        """`schematic` from a frequency of 5 on, else `regular`."""
        return "schematic" if self.frequency >= SCHEMATIC_FREQUENCY else "regular"


@dataclass(frozen=True, slots=True)
class ConceptNode:
    """Somebody or something that facts are about or name, under all its names together.

    *frequency* counts the facts of it that are believed, and each episode that said one again. *type* is a person, a
    place or the like, None where nothing tells. *description* is what was said of it by hand, else the sentences of its
    weightiest facts, *described_by* the ids of these; *properties* are told by facts that name no other entity.
    *similarity* is to what was asked for, None where nothing was.
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
        said = {"type": self.type, "aliases": list(self.aliases), **self.properties}
        return {"category": self.category, **{name: value for name, value in said.items() if value}}

    def __repr__(self) -> str:
        return brief(self, self.label, self.type, f"{self.frequency} times", self.category, id=self.id)


@dataclass(frozen=True, slots=True)
class Described:
    """An entity in a sentence or two, and the *facts* that these are, each with the episodes it rests on."""

    entity: ConceptNode
    facts: tuple[Fact, ...]

    @property
    def text(self) -> str:
        """The description by hand, else the sentences; nothing where nothing is believed of it."""
        told = [fact.text for fact in self.facts]
        by_hand = "; ".join(told) != self.entity.description
        return self.entity.description if by_hand else "".join(f"{one.rstrip('.')}. " for one in told).rstrip()

    def __repr__(self) -> str:
        return brief(self, self.text, id=self.entity.id)


@dataclass(frozen=True, slots=True)
class RelationshipEdge:
    """A fact between two entities. *fact* is its id, and that of the delta that made it: `why` tells its words.

    It is so in the world from *valid_from* to *valid_to*, an end of None is open; *weight* counts how often it was
    said. *properties* are what whoever created it by hand said of it besides.
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
    """Entities by id, the most important first, and what holds between them, in one *version* of the scope's graph."""

    nodes: Mapping[uuid.UUID, ConceptNode]
    edges: Sequence[RelationshipEdge]
    version: int

    def named(self, name: str) -> ConceptNode | None:
        """Return the entity that goes by *name*, if it is here."""
        wanted = name.casefold()
        for node in self.nodes.values():
            if wanted in (one.casefold() for one in (node.label, *node.aliases)):
                return node
        return None

    def __repr__(self) -> str:
        return brief(self, many(len(self.nodes), "node"), many(len(self.edges), "edge"), f"version {self.version}")


@dataclass(frozen=True, slots=True)
class GraphPath:
    """One way from what a question names to what answers it: the *facts* it goes along, the last of which answers.

    *start* is the name in the question. *score*, from 0 to 1, is the share of the question's words for relations that
    the facts account for.
    """

    start: str
    facts: Sequence[Fact]
    score: float

    @property
    def answer(self) -> Fact:
        """The fact at the end."""
        return self.facts[-1]

    def __repr__(self) -> str:
        return brief(self, " → ".join([self.start, *(one.text for one in self.facts)]), f"score {self.score:.2f}")


@dataclass(frozen=True, slots=True)
class GraphVersion:
    """One version of a scope's graph: what its *run*, None by hand, added to it, heard again and ended."""

    version: int
    run: int | None
    at: datetime
    added: int
    confirmed: int
    ended: int

    def __repr__(self) -> str:
        return brief(self, f"{self.added} added", f"{self.confirmed} confirmed", f"{self.ended} ended", id=self.version)
