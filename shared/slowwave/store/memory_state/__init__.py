"""The standing of memories: tiers, accesses and entities, and the effects of changed beliefs on standings."""
