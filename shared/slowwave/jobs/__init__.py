"""Jobs, the use cases of a worker: gather, decide, act."""
