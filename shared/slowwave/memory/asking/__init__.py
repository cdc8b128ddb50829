"""Questions to a model that somebody waits for."""
