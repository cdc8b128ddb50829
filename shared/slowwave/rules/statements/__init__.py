"""Statements: things that people did or said of themselves, read from their talk as sentences in the third person."""
