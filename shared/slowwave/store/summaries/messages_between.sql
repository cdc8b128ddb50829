-- The first messages of a session between two positions, in order. Expired messages are left out.
--
-- Served by the primary key of each partition, read from that position on.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM episodes AS e
WHERE
    e.scope = %(scope)s AND e.session = %(session)s AND e.kind = 'message'
    AND e.position > %(after)s AND e.position <= %(upto)s
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = e.scope AND c.session = e.session AND e.received <= c.tombstoned
    )
ORDER BY e.position
LIMIT %(most)s
