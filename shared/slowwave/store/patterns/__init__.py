"""Strategies, tools, topics and summaries: what runs have learned beside facts."""
