"""Standing of memories: tiers, accesses, entities, and the effects of changed beliefs on them."""
