"""Access over HTTP: keys of a tenant, and how much each may ask for."""
