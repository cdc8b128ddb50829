"""Jobs, the use cases of a worker: each reads its input, decides, and writes the result."""
