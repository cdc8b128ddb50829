-- Revokes a key of a tenant and returns it; a second revocation keeps the first time.
--
-- Served by api_keys_pkey.
UPDATE api_keys SET revoked = coalesce(revoked, slowwave_now())
WHERE key = %(key)s AND tenant = slowwave_tenant()
RETURNING key, name, verbs, created, revoked;
