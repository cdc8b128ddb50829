"""The graph of what is known: entities and what holds between them, loaded, asked, walked and told by hand."""

from slowwave.memory.graph.knowledge import Graph

__all__ = ["Graph"]
