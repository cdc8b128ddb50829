-- The newest episodes of these scopes that no worker has prepared yet, and in each row the number of all such episodes.
--
-- Served by the primary keys of scope_heads and watermarks, and by that of each partition of episodes, read backwards
-- from the head and no further than the watermark. If all episodes are prepared, no episode is read.
WITH behind AS MATERIALIZED (
    SELECT h.scope, coalesce(w.position, 0) AS prepared, h.head - coalesce(w.position, 0) AS episodes
    FROM scope_heads AS h
    LEFT JOIN watermarks AS w ON w.scope = h.scope AND w.pack = %(pack)s
    WHERE h.scope = ANY(%(scopes)s) AND h.head > coalesce(w.position, 0)
)
SELECT n.scope, n.position, n.text, (SELECT sum(episodes)::bigint FROM behind) AS total
FROM behind
CROSS JOIN
    LATERAL (
        SELECT e.scope, e.position, e.received, slowwave_left(e.content, %(characters)s) AS text
        FROM episodes AS e
        WHERE e.scope = behind.scope AND e.position > behind.prepared
        ORDER BY e.position DESC
        LIMIT %(most)s
    ) AS n
ORDER BY n.received DESC, n.position DESC, n.scope
LIMIT %(most)s
