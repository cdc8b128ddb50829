"""The graph as values: facts as edges, names that mean the same entity, and walks along relations."""
