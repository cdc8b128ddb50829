"""The command for permanent erasure."""
