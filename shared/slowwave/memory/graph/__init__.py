"""The knowledge graph: entities and their relations, loaded, queried, walked and edited by hand."""

from slowwave.memory.graph.knowledge import Graph

__all__ = ["Graph"]
