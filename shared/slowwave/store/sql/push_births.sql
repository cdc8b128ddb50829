-- Makes the head, lease and watermark rows of scopes that are new, together.
--
-- Served by scope_heads_pkey. The shared advisory lock keeps a pack from being registered in between, which would
-- leave a scope without that pack's watermark.
WITH one_at_a_time AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(5311)),
born AS (
    INSERT INTO scope_heads (scope, tenant, user_id, agent, channel)
    SELECT s.scope, slowwave_tenant(), s.user_id, s.agent, s.channel
    FROM one_at_a_time, unnest(%(scopes)s::uuid[], %(users)s::text[], %(agents)s::text[], %(channels)s::text[])
        AS s (scope, user_id, agent, channel)
    ORDER BY s.scope
    ON CONFLICT DO NOTHING
    RETURNING scope, tenant
),
leased AS (INSERT INTO scope_leases (scope, tenant) SELECT scope, tenant FROM born)
INSERT INTO watermarks (scope, pack, tenant)
SELECT born.scope, packs.pack, born.tenant
FROM born CROSS JOIN packs
