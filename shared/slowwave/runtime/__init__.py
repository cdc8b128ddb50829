"""The process and its installed packages: clock, files, optional extras, and plugins."""
