"""Commands that make a prompt's context, and answer from it."""
