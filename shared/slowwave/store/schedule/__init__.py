"""The schedule: which packs run here, and what comes due."""
