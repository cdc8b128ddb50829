-- The work of a tenant that waits after a failed run, the longest wait first.
--
-- One scan of the tenant's intents, which are small rows; scope_heads_pkey.
SELECT i.job, i.due AS until, h.tenant, h.user_id, h.agent, h.channel
FROM intents AS i
LEFT JOIN scope_heads AS h ON h.scope = i.scope
WHERE i.tenant = %(tenant)s AND i.state = 'running' AND i.fence IS NULL AND i.due > slowwave_now()
ORDER BY i.due DESC, i.intent
LIMIT 1000
