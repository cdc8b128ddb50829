-- The number of episodes of this tenant, or of one of its users, that are stored and not yet prepared.
--
-- One scan of the tenant's part of scope_heads_tenant_user_id_agent_channel_key; watermarks_pkey for each scope.
SELECT coalesce(sum(h.head - w.position), 0)::bigint
FROM scope_heads AS h
JOIN watermarks AS w ON w.scope = h.scope AND w.pack = %(pack)s
WHERE h.tenant = slowwave_tenant() AND (%(user)s::text = '' OR h.user_id = %(user)s::text)
