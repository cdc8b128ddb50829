-- The scopes of a tenant, or of one user, agent or channel, after a given scope, in order and limited in number. Each
-- has its head, its last delta and its last episode.
--
-- Served by scope_heads_tenant_user_id_agent_channel_key, scope_leases_pkey, deltas_scope_recorded_key and
-- episode_keys_scope_position_key.
SELECT
    h.scope, h.tenant, h.user_id, h.agent, h.channel, h.head, h.touched, l.fence, l.last_recorded,
    (SELECT d.id FROM deltas AS d WHERE d.scope = h.scope ORDER BY d.recorded DESC LIMIT 1) AS delta,
    (
        SELECT coalesce(e.key, k.id::text)
        FROM episode_keys AS k
        LEFT JOIN episodes AS e ON e.scope = k.scope AND e.position = k.position AND e.received = k.received
        WHERE k.scope = h.scope AND k.position = h.head
    ) AS key
FROM scope_heads AS h
JOIN scope_leases AS l ON l.scope = h.scope
WHERE
    (%(user)s::text IS NULL OR h.user_id = %(user)s)
    AND (%(agent)s::text IS NULL OR h.agent = %(agent)s)
    AND (%(channel)s::text IS NULL OR h.channel = %(channel)s)
    AND (h.user_id, h.agent, h.channel) > (%(after_user)s, %(after_agent)s, %(after_channel)s)
ORDER BY h.user_id, h.agent, h.channel
LIMIT %(most)s
