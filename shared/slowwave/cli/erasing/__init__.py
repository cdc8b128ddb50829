"""The command that forgets for good."""
