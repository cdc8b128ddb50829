"""Postgres: tables, statements, migrations. One folder per aggregate."""
