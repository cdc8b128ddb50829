"""The graph as values: facts as edges, names that mean the same entity, and paths along relations."""
