"""Quotas of tenants in Postgres: any number of processes share them."""
