"""Promotion from a project channel to the global one, by a run or by hand."""
