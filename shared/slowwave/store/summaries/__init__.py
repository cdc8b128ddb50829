"""The summaries that are held of sessions, and what they rest on."""
