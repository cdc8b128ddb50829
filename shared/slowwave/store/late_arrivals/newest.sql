-- The latest time at which an episode before a position occurred.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key for each episode. OFFSET 0 forces
-- that, whatever the planner expects. Used only if the time is not known yet.
SELECT max(e.occurred)
FROM episode_keys k
CROSS JOIN
    LATERAL (
        SELECT b.occurred FROM episodes AS b
        WHERE (b.scope, b.position, b.received) = (k.scope, k.position, k.received)
        OFFSET 0
    ) AS e
WHERE k.scope = %(scope)s AND k.position < %(before)s
