"""Webhooks of tenants: kept, listed, and taken up by who delivers."""
