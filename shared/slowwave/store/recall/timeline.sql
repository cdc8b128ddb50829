-- The next messages and outcomes of a scope after a position, between two times of occurrence.
--
-- Served by the primary key of each month of episodes, whose part for the scope it reads: an episode may be received
-- long after it occurred, so months cannot be skipped.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM episodes e
WHERE
    e.scope = %(scope)s AND e.position > %(after)s
    AND e.occurred >= %(since)s AND e.occurred < %(until)s AND e.kind IN ('message', 'outcome')
ORDER BY e.position
LIMIT %(most)s
