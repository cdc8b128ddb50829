"""The graph of what is known, as it is handed out."""

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
