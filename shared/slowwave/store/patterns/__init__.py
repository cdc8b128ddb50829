"""Strategies, tools, segments and summaries: what runs learn besides facts."""
