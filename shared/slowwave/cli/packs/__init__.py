"""Packs that a command names, and previews of their effects."""
