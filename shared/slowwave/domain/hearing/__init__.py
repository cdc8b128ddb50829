"""Values of those who hear what was learned."""
