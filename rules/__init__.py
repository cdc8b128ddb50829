"""Content an operator may edit: rule packs and policies."""
