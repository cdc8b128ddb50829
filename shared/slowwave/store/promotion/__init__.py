"""Promotion from a project channel to the global channel, by a run or by hand."""
