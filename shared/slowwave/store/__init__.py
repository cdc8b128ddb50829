"""Postgres: tables, statements, migrations. One file an aggregate."""
