"""Text for people: counts, durations, and one-line summaries of values."""
