-- The episodes of a scope with these ids, in order of position.
--
-- Served by episode_keys_pkey, then by one partition's primary key for each episode.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM episode_keys k
JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE k.scope = %(scope)s AND k.id = ANY(%(ids)s::uuid[])
ORDER BY k.position
