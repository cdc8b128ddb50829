"""Beliefs to be reconsidered: recently learned facts, and beliefs that share words with them."""
