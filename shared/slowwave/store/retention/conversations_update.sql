-- Adds a window of episodes to their conversations; a conversation that was archived before these episodes is restored.
-- Returns each conversation, and whether it is new: `xmax` is 0 only in an inserted row.
--
-- Served by the primary keys of episodes and conversations. Each window is added once, by the run that prepares it.
INSERT INTO conversations AS c (scope, session, tenant, first_at, last_at, episodes, touched)
SELECT scope, session, slowwave_tenant(), min(occurred), max(occurred), count(*), max(received)
FROM episodes
WHERE
    scope = %(scope)s AND position BETWEEN %(lo)s AND %(hi)s
    AND (%(only)s::bigint[] IS NULL OR position = ANY(%(only)s))
GROUP BY scope, session
ORDER BY session
ON CONFLICT (scope, session) DO UPDATE
    SET
        first_at = least(c.first_at, excluded.first_at),
        last_at = greatest(c.last_at, excluded.last_at),
        episodes = c.episodes + excluded.episodes,
        touched = greatest(c.touched, excluded.touched),
        archived = CASE WHEN excluded.touched > c.archived THEN NULL ELSE c.archived END
RETURNING c.session, c.xmax = 0 AS begun
