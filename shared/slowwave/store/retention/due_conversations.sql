-- Unarchived conversations last touched at or before a given time, oldest first. Conversations under a legal hold are
-- left out.
--
-- Served by conversations_open, so that younger conversations are not read, and by legal_holds_in_force, which has few
-- rows. Scopes with unprepared episodes are left out, because these may belong to the conversation. Served by
-- scope_heads_pkey and watermarks_pkey.
SELECT c.scope, c.session, c.touched AS at
FROM conversations c
WHERE
    c.tenant = slowwave_tenant() AND c.slice = ANY(%(slices)s::smallint[]) AND c.archived IS NULL
    AND c.touched <= %(before)s
    AND NOT EXISTS (SELECT FROM slowwave_legal_holds(c.tenant, c.scope))
    AND NOT EXISTS (
        SELECT FROM scope_heads s JOIN watermarks w ON w.scope = s.scope AND w.pack = '_prepare'
        WHERE s.scope = c.scope AND s.head > w.position
    )
ORDER BY c.touched, c.scope, c.session
LIMIT %(most)s
