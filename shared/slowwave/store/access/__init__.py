"""Access over HTTP: the keys of tenants, the request rate of each key, and the quotas of tenants."""
