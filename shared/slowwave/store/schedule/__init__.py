"""The schedule: the packs of this installation, and what is due."""
