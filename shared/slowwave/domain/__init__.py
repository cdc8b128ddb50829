"""Values of the domain: frozen, without I/O and without decisions."""
