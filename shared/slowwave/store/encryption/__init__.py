"""Encryption of words at rest: one data key per tenant, wrapped with a master key of the settings."""
