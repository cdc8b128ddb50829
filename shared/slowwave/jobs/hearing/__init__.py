"""Jobs by which others hear what was learned."""
