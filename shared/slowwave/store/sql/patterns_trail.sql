-- The tool calls and outcomes at the positions before a window, in order.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key an episode.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata
FROM episode_keys k
JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE k.scope = %(scope)s AND k.position BETWEEN %(lo)s AND %(hi)s AND e.kind IN ('tool_call', 'outcome')
ORDER BY k.position
