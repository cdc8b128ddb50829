-- The heads of these scopes, whether their names were erased, and the key of the tenant's fingerprints. The heads are
-- locked in id order, so that two pushes never deadlock.
--
-- Served by scope_heads_pkey, and once by tenants_pkey. A separate statement, because a statement that waits for the
-- lock would read the keys as they were before the wait.
SELECT
    scope, head, erased IS NOT NULL AS nameless,
    (SELECT t.fingerprint_key FROM tenants AS t WHERE t.tenant = (SELECT slowwave_tenant())) AS fingerprint_key
FROM scope_heads WHERE scope = ANY(%(scopes)s::uuid[]) ORDER BY scope FOR UPDATE
