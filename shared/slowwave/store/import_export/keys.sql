-- A limited number of the keys of a scope's episodes after a position, in order. Each has the episode's own key, if the
-- episode still exists.
--
-- Served by episode_keys_scope_position_key, then by the partition's primary key for each episode.
SELECT
    jsonb_build_object(
        'id', k.id, 'position', k.position, 'received', k.received, 'digest', k.digest,
        'erased', k.erased,
        'key', (
            SELECT e.key FROM episodes AS e
            WHERE e.scope = k.scope AND e.position = k.position AND e.received = k.received
        )
    ) AS row
FROM episode_keys AS k
WHERE k.scope = %(scope)s AND k.position > coalesce(%(position)s::bigint, 0)
ORDER BY k.position
LIMIT %(most)s
