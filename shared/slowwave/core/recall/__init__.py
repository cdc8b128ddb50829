"""Recall decisions: which memories answer a question best, from the measures of a search."""
