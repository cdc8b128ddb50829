"""Summaries: of sessions, of evicted memories, and of other summaries."""
