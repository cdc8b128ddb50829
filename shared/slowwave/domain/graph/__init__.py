"""The graph of what is known, as it is handed out."""

from slowwave.domain.graph.knowledge import ConceptNode, Glimpse, GraphPath, GraphVersion, MemoryGraph, RelationshipEdge
from slowwave.domain.graph.mention import Mention

__all__ = ["ConceptNode", "Glimpse", "GraphPath", "GraphVersion", "MemoryGraph", "Mention", "RelationshipEdge"]
