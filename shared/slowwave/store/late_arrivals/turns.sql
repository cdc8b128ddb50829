-- The latest turns before a position that occurred later than a given time and have one of the given words, in order.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key for each episode. OFFSET 0 forces
-- that, whatever the planner expects. Used only for late claims.
WITH asked AS MATERIALIZED (
    SELECT string_agg(plainto_tsquery('english', word)::text, ' | ')::tsquery AS words
    FROM unnest(%(words)s::text[]) AS word
    WHERE numnode(plainto_tsquery('english', word)) > 0
)
SELECT *
FROM (
    SELECT
        e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
    FROM (
        SELECT scope, position, received FROM episode_keys
        WHERE scope = %(scope)s AND position < %(before)s
        ORDER BY position DESC
        OFFSET 0
    ) AS k
    CROSS JOIN
        LATERAL (
            SELECT b.*
            FROM episodes AS b
            WHERE
                (b.scope, b.position, b.received) = (k.scope, k.position, k.received)
                AND b.occurred > %(occurred)s AND b.terms @@ (SELECT words FROM asked)
            OFFSET 0
        ) AS e
    ORDER BY k.position DESC
    LIMIT %(most)s
) AS found
ORDER BY position
