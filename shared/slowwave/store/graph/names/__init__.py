"""Names of entities: the known names, the vectors of names, and the names of the same entity."""
