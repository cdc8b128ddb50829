"""The store on Postgres: SQL statements and migrations, with one folder per aggregate."""
