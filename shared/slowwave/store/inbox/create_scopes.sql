-- Inserts the head, lease and watermark rows of new scopes, together.
--
-- Served by scope_heads_pkey. The caller holds the lock that prevents packs from being registered (see
-- `scopes.create_scopes`).
WITH created AS (
    INSERT INTO scope_heads (scope, tenant, user_id, agent, channel)
    SELECT s.scope, slowwave_tenant(), s.user_id, s.agent, s.channel
    FROM
        unnest(%(scopes)s::uuid[], %(users)s::text[], %(agents)s::text[], %(channels)s::text[])
            AS s (scope, user_id, agent, channel)
    ORDER BY s.scope
    ON CONFLICT DO NOTHING
    RETURNING scope, tenant
),
leased AS (INSERT INTO scope_leases (scope, tenant) SELECT scope, tenant FROM created)
INSERT INTO watermarks (scope, pack, tenant)
SELECT created.scope, packs.pack, created.tenant
FROM created CROSS JOIN packs
WHERE packs.job = ANY(%(windowed)s)
