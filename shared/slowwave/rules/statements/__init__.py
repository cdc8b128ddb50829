"""Statements: what somebody did or said of themselves, read out of their talk as sentences in the third person."""
