-- The positions of a scope in the order in which the turns were said, up to a given position or to the last position
-- that a pack has *read*. A turn without content is ordered by the time of receipt.
--
-- Served by watermarks_pkey, and by episode_keys_scope_position_key, then by one partition's primary key for each
-- episode; OFFSET 0 forces that, whatever the planner expects. Used only if a late turn may change to which turn a
-- claim points back.
WITH known AS MATERIALIZED (
    SELECT coalesce(max(position) FILTER (WHERE pack = %(pack)s), max(position), 0) AS upto
    FROM watermarks WHERE scope = %(scope)s
)
SELECT
    (SELECT upto FROM known) AS read,
    array_agg(k.position ORDER BY coalesce(e.occurred, k.received), k.position) AS positions
FROM episode_keys k
LEFT JOIN
    LATERAL (
        SELECT b.occurred FROM episodes AS b
        WHERE (b.scope, b.position, b.received) = (k.scope, k.position, k.received)
        OFFSET 0
    ) AS e
    ON TRUE
WHERE k.scope = %(scope)s AND k.position <= greatest(%(upto)s, (SELECT upto FROM known))
