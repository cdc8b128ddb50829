-- The archived conversations of a scope or a tenant, the last archived first. With `every`, unarchived conversations
-- are returned too.
--
-- Served by conversations_pkey for a scope, by conversations_archived for a tenant.
SELECT h.tenant, h.user_id, h.agent, h.channel, c.session, c.first_at, c.last_at, c.episodes, c.archived, c.tombstoned
FROM conversations c JOIN scope_heads h USING (scope)
WHERE (%(scope)s::uuid IS NULL OR c.scope = %(scope)s) AND (%(every)s OR c.archived IS NOT NULL)
ORDER BY c.archived DESC NULLS LAST, c.touched DESC, h.user_id, h.agent, h.channel, c.session
LIMIT %(most)s
