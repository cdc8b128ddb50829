"""Values for queries of memories: filters and results."""
