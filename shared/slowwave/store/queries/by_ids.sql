-- The episodes with these ids in any of these scopes. Expired episodes are left out.
--
-- Served by episode_keys_pkey, then by the partition's primary key for each episode; conversations by
-- conversations_pkey.
SELECT
    e.scope, e.id, e.key, e.position, e.received, e.occurred, e.utc_offset, e.session, e.role, e.kind, e.speaker,
    e.content, e.metadata
FROM episode_keys AS k
JOIN episodes AS e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
WHERE
    k.scope = ANY(%(scopes)s::uuid[]) AND k.id = ANY(%(ids)s::uuid[])
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = e.scope AND c.session = e.session AND e.received <= c.tombstoned
    )
ORDER BY e.scope, e.position
