"""The audit log records each change and each read, with the caller and the settings in force."""
