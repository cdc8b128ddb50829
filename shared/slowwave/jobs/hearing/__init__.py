"""Jobs that tell others what was learned."""
