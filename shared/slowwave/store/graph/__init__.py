"""The graph, in which facts are edges between entities. Every change of beliefs updates the graph."""
