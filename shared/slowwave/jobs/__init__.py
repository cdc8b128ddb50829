"""Jobs, the use cases of a worker. Each job reads its input, makes decisions, and writes the result."""
