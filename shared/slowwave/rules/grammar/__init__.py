"""Statements over a dependency parse: the clauses of a sentence, their subjects, verbs and arguments."""
