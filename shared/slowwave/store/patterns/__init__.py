"""Strategies, tools, segments and summaries: what runs have learned beside facts."""
