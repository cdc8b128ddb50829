"""Beliefs to be reconsidered: what was learned lately, and what shares words with it."""
