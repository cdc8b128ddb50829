"""Claims of work: intents, leases and their fences, slices of standing jobs, dead letters, signs of life."""
