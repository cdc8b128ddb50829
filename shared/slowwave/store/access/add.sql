-- Inserts a key of a tenant, by its hash.
--
-- Served by api_keys_pkey.
INSERT INTO api_keys (tenant, name, hash, verbs)
VALUES (slowwave_tenant(), %(name)s, %(hash)s, %(verbs)s::text[])
RETURNING key, name, verbs, created, revoked;
