"""An operator's questions: status, statistics, and whether every promise holds."""
