"""Commands for whoever watches an installation."""
