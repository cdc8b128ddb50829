"""Export and import of memories: all rows of a scope, read in pages, and written to another database or tenant."""
