-- The scopes of a tenant with the most episodes, with their number, the largest first.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key.
SELECT tenant, user_id, agent, channel, head
FROM scope_heads
WHERE tenant = %(tenant)s AND head > 0
ORDER BY head DESC, user_id, agent, channel
LIMIT %(most)s
