-- The newest unread turns of each of these scopes, below a position and a time of receipt.
--
-- Served by unread_turns_pkey, then by one partition's primary key for each turn of the page; conversations by
-- conversations_pkey. Expired turns are left out. Archived turns are returned, because facts learned from archived
-- turns stay.
SELECT
    e.scope, e.id, e.key, e.position, e.received, e.occurred, e.utc_offset, e.session, e.role, e.kind, e.speaker,
    e.content, e.metadata, u.language
FROM unnest(%(scopes)s::uuid[], %(positions)s::bigint[], %(times)s::timestamptz[]) AS s (scope, below, before)
CROSS JOIN
    LATERAL (
        SELECT n.scope, n.position, n.received, n.language
        FROM unread_turns AS n
        WHERE
            n.scope = s.scope AND n.position < s.below AND n.received < s.before
            AND NOT EXISTS (
                SELECT FROM conversations AS c
                WHERE c.scope = n.scope AND c.session = n.session AND n.received <= c.tombstoned
            )
        ORDER BY n.position DESC
        LIMIT %(most)s
    ) AS u
JOIN episodes AS e ON (e.scope, e.position, e.received) = (u.scope, u.position, u.received)
ORDER BY e.scope, e.position DESC
