"""Recall: reads of memories for a question, and of episodes by time."""
