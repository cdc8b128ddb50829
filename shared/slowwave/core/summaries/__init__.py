"""Summaries: what says most of a session, of memories that stand for others, and of summaries."""
