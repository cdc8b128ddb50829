"""The packs this installation runs, and where each stands in every scope."""
