"""The graph: facts as edges between entities, updated with every change of beliefs, and read back."""
