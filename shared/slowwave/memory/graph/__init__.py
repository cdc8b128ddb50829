"""The knowledge graph of entities and their relations: verbs that load, query, walk and edit the graph."""

from slowwave.memory.graph.knowledge import Graph

__all__ = ["Graph"]
