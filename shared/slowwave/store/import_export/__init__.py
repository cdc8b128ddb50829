"""Export and import of memories. All rows of a scope are read in pages, and written to another database or tenant."""
