-- The episodes of a scope from one position to another, in order.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key for each episode.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM episode_keys k
JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE k.scope = %(scope)s AND k.position BETWEEN %(lo)s AND %(hi)s
ORDER BY k.position
