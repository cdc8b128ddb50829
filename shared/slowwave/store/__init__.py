"""Postgres: statements and migrations. One folder per aggregate."""
