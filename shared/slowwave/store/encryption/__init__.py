"""Encryption of words at rest: a data key per tenant, which a master key of the settings wraps."""
