"""The stored summaries of sessions, the sources of summaries, and the trees over summaries."""
