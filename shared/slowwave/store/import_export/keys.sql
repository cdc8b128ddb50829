-- A limited number of the keys of a scope's episodes after a position, in order. Each has the episode's own key, and
-- what its digest covers, if the episode still exists.
--
-- Served by episode_keys_scope_position_key, then by the partition's primary key for each episode.
SELECT
    jsonb_build_object(
        'id', k.id, 'position', k.position, 'received', k.received, 'digest', k.digest,
        'erased', k.erased, 'key', e.key,
        'said', jsonb_build_object(
            'content', e.content, 'session', e.session, 'role', e.role, 'kind', e.kind, 'occurred', e.occurred,
            'metadata', e.metadata
        )
    ) AS row
FROM episode_keys AS k
LEFT JOIN episodes AS e ON e.scope = k.scope AND e.position = k.position AND e.received = k.received
WHERE k.scope = %(scope)s AND k.position > coalesce(%(position)s::bigint, 0)
ORDER BY k.position
LIMIT %(most)s
