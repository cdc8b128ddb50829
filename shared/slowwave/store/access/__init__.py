"""Access over HTTP: keys of a tenant, and the request rate of each key."""
