-- The keys of a scope's episodes behind a position, in order, at most so many; each with the episode's own name, where
-- the episode is still there.
--
-- Served by episode_keys_scope_position_key, then by one partition's primary key an episode.
SELECT
    jsonb_build_object(
        'id', k.id, 'position', k.position, 'received', k.received, 'digest', k.digest,
        'key', (
            SELECT e.key FROM episodes AS e
            WHERE e.scope = k.scope AND e.position = k.position AND e.received = k.received
        )
    ) AS row
FROM episode_keys AS k
WHERE k.scope = %(scope)s AND k.position > coalesce(%(position)s::bigint, 0)
ORDER BY k.position
LIMIT %(most)s
