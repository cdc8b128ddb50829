"""The store on Postgres: statements and migrations, with one folder per aggregate."""
