"""Values for reading memories: filters, and the forms in which memories are returned."""
