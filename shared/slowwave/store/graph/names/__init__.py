"""Names of entities: which are known, their vectors, and which name the same entity."""
