"""The process and its installation: clock, files, optional extras, and plugins of installed packages."""
