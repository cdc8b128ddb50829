"""Webhooks of tenants: stored, listed, and claimed for delivery."""
