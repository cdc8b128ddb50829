-- Known episodes that are missing although their partition exists, and stored episodes that are not known.
--
-- One scan of episode_keys against the partition's primary key for each episode, and one scan of episodes against
-- episode_keys.
WITH months AS MATERIALIZED (SELECT lo, hi FROM slowwave_partitions() WHERE parent = 'episodes')
(
    SELECT k.scope, 'episode ' || k.id || ' at ' || k.position AS subject
    FROM episode_keys k
    JOIN months m ON k.received >= m.lo AND k.received < m.hi
    WHERE
        NOT k.erased
        AND NOT EXISTS (
            SELECT
            FROM episodes e
            WHERE (e.scope, e.position, e.received, e.id) = (k.scope, k.position, k.received, k.id)
        )
    LIMIT %(most)s
)
UNION ALL (
    SELECT e.scope, 'episode ' || e.id || ' at ' || e.position
    FROM episodes e
    WHERE
        NOT EXISTS (
            SELECT
            FROM episode_keys k
            WHERE (k.scope, k.id, k.position, k.received) = (e.scope, e.id, e.position, e.received)
        )
    LIMIT %(most)s
)
