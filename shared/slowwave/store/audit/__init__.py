"""The audit log: what changed or was read, by whom, under which settings."""
