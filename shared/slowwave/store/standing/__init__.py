"""Standing of memories: tiers, accesses, entities, and what a change of belief means for them."""
