-- Revokes a key of a tenant and returns the key. A second revocation keeps the time of the first.
--
-- Served by api_keys_pkey.
UPDATE api_keys SET revoked = coalesce(revoked, slowwave_now())
WHERE key = %(key)s AND tenant = slowwave_tenant()
RETURNING key, name, verbs, created, revoked;
