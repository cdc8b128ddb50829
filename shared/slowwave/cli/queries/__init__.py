"""Commands that read stored episodes, summaries and other memories."""
