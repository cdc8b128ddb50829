-- The next messages and outcomes of a scope after a position, from one time up to another.
--
-- Served by one primary key a month of episodes, of which it reads the scope's part: an episode may be received long
-- after it occurred, so the months do not tell when.
SELECT e.id, e.key, e.position, e.received, e.occurred, e.session, e.role, e.kind, e.content, e.metadata, e.utc_offset
FROM episodes e
WHERE
    e.scope = %(scope)s AND e.position > %(after)s
    AND e.occurred >= %(since)s AND e.occurred < %(until)s AND e.kind IN ('message', 'outcome')
ORDER BY e.position
LIMIT %(most)s
