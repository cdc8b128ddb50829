"""Commands that read back what was told."""
