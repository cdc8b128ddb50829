"""The stored summaries of sessions, and their sources."""
