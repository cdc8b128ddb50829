-- The turns that came before each of some episodes in its session, at most so many, in order of position.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key an episode: it looks back over at most
-- %(reach)s positions.
SELECT DISTINCT
    e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM unnest(%(positions)s::bigint[], %(sessions)s::text[]) AS first (position, session)
CROSS JOIN
    LATERAL (
        SELECT b.*
        FROM episode_keys k
        JOIN episodes b ON (b.scope, b.position, b.received) = (k.scope, k.position, k.received)
        WHERE
            k.scope = %(scope)s AND k.position BETWEEN first.position - %(reach)s AND first.position - 1
            AND b.session = first.session
        ORDER BY b.position DESC
        LIMIT %(most)s
    ) AS e
ORDER BY e.position
