"""Packs as arguments of commands, and previews of their effects."""
