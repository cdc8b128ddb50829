-- At most %(most)s scopes of this tenant, in an order that changes daily. All scopes are returned if %(most)s is NULL.
--
-- One scan of the tenant's part of scope_heads_tenant_user_id_agent_channel_key.
SELECT scope
FROM scope_heads
WHERE tenant = slowwave_tenant()
ORDER BY md5(scope::text || to_char(slowwave_now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')), scope
LIMIT %(most)s
