"""The work queue: intents, leases with fences, and slices (sixteenths of the scopes of a tenant)."""
