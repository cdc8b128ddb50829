"""The graph: facts as edges between entities, kept by the one door through which beliefs change, and read back."""
