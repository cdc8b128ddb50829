"""Word lists for reading statements."""
