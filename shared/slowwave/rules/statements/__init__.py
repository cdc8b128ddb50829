"""Statements: sentences in the third person about people's own lives, read from their talk."""
