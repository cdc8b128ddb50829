-- The last messages of a session between two positions, newest first. Expired messages are left out.
--
-- Served by the primary key of each partition, read backwards from the scope's head or the upper position, near which
-- an active session is. For a session that ended long ago, all later episodes of the scope are read.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata
FROM episodes AS e
WHERE
    e.scope = %(scope)s AND e.session = %(session)s AND e.kind = 'message'
    AND e.position > %(after)s AND (%(before)s::bigint IS NULL OR e.position < %(before)s)
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = e.scope AND c.session = e.session AND e.received <= c.tombstoned
    )
ORDER BY e.position DESC
LIMIT %(most)s
