"""A night as the database tells it afterwards."""
