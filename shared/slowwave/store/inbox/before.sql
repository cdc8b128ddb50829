-- The episodes of some sessions within spans of positions of a scope, in order of position.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key an episode; OFFSET 0 makes it so, span
-- by span, whatever the planner knows of the scope.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM unnest(%(lows)s::bigint[], %(highs)s::bigint[]) AS span (low, high)
CROSS JOIN
    LATERAL (
        SELECT b.*
        FROM episode_keys k
        JOIN episodes b ON (b.scope, b.position, b.received) = (k.scope, k.position, k.received)
        WHERE
            k.scope = %(scope)s AND k.position BETWEEN span.low AND span.high
            AND b.session = ANY(%(sessions)s::text[])
        OFFSET 0
    ) AS e
ORDER BY e.position
