-- The episodes of some sessions within a range of positions of a scope, in order of position.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key for each episode; OFFSET 0 forces
-- that, whatever the planner expects.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM (
    SELECT scope, position, received
    FROM episode_keys
    WHERE scope = %(scope)s AND position BETWEEN %(low)s AND %(high)s
    ORDER BY position
    OFFSET 0
) AS k
CROSS JOIN
    LATERAL (
        SELECT b.*
        FROM episodes AS b
        WHERE
            (b.scope, b.position, b.received) = (k.scope, k.position, k.received)
            AND b.session = ANY(%(sessions)s::text[])
        OFFSET 0
    ) AS e
ORDER BY k.position
