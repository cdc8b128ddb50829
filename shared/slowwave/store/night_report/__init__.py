"""The report of a night, from the database."""
