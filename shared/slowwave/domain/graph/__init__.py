"""The knowledge graph as it is returned to callers."""

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
