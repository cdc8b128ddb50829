"""The schedules of an installation, and the work that these make due."""
