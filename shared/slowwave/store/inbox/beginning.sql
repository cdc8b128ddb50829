-- A tenant's episodes with ids from *least* to *last*, both included, in order, limited in number.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key, episode_keys_pkey per scope, and a partition's primary key.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM scope_heads h
JOIN episode_keys k USING (scope)
JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE h.tenant = %(tenant)s AND k.id BETWEEN %(least)s::uuid AND %(last)s::uuid
ORDER BY e.id
LIMIT %(most)s
