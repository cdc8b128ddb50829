"""Jobs that move scopes from one embedding space to another."""
