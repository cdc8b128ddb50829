"""The values of the knowledge graph that verbs return."""

from slowwave.domain.graph.knowledge import (
    ConceptNode,
    Described,
    Glimpse,
    GraphPath,
    GraphVersion,
    MemoryGraph,
    RelationshipEdge,
)

__all__ = ["ConceptNode", "Described", "Glimpse", "GraphPath", "GraphVersion", "MemoryGraph", "RelationshipEdge"]
