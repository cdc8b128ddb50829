"""Reads for the reconsideration of beliefs: recently learned facts, and beliefs that share words with these facts."""
