"""The schedules of an installation, and the work that a schedule makes due."""
