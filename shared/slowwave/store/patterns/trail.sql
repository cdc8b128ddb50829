-- The tool calls and outcomes at the positions before a window, in order.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key for each episode: OFFSET 0 forces
-- that, as a planner that expects few tool calls would search all episodes for them.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM episode_keys k
CROSS JOIN
    LATERAL (
        SELECT * FROM episodes e WHERE (e.scope, e.position, e.received) = (k.scope, k.position, k.received) OFFSET 0
    ) AS e
WHERE k.scope = %(scope)s AND k.position BETWEEN %(lo)s AND %(hi)s AND e.kind IN ('tool_call', 'outcome')
ORDER BY k.position
