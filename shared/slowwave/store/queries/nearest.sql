-- The episodes of the given scopes that happened since a time and whose content is nearest to a vector, best first.
--
-- One exact pass over the scopes' part of episode_vectors_pkey; the episode at a position by
-- episode_keys_scope_position_key, then by one partition's primary key, conversations by conversations_pkey. Expired
-- and archived episodes are left out.
SELECT
    e.scope, e.id, e.key, e.position, e.received, e.occurred, e.utc_offset, e.session, e.role, e.kind, e.speaker,
    e.content, e.metadata
FROM episode_vectors AS v
JOIN episode_keys AS k ON k.scope = v.scope AND k.position = v.position
JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE
    v.scope = ANY(%(scopes)s::uuid[])
    AND v.space = (
        SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, vector_dims(%(vector)b::vector))
    )
    AND (%(since)s::timestamptz IS NULL OR e.occurred >= %(since)s::timestamptz)
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = e.scope AND c.session = e.session AND e.received <= greatest(c.archived, c.tombstoned)
    )
ORDER BY v.embedding <=> %(vector)b::vector, e.received DESC, e.scope, e.position DESC
LIMIT %(most)s
