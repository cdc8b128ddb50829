"""The work queue: intents, the leases of scopes with their fences, and the slices of standing jobs."""
