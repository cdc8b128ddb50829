"""Recall: reads of memories for a question, or by the time they happened."""
