"""Names of entities: which are known, what they mean, and which mean the same."""
