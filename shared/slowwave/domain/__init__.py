"""Values: frozen, no I/O, no decisions."""
