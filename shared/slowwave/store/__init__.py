"""Postgres: tables, statements, migrations. One folder an aggregate."""
