-- Tombstones archived conversations up to a time, unless they were touched since.
--
-- Served by conversations_pkey.
UPDATE conversations c
SET tombstoned = %(before)s
FROM unnest(%(scopes)s::uuid[], %(sessions)s::text[]) AS d (scope, session)
WHERE
    c.scope = d.scope
    AND c.session = d.session
    AND c.archived IS NOT NULL
    AND c.touched <= %(before)s
RETURNING c.scope, c.session
