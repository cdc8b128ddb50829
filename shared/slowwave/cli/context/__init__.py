"""Commands that build a prompt's context, or answer a question from it."""
