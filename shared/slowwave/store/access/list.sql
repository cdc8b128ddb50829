-- The keys of a tenant, oldest first.
--
-- Served by a scan of api_keys: a tenant has few, and they are listed by hand.
SELECT key, name, verbs, created, revoked FROM api_keys WHERE tenant = slowwave_tenant() ORDER BY created, key;
