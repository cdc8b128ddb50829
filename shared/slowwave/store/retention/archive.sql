-- Archives conversations that are not archived and, if a time is given, were not touched after it.
--
-- Served by conversations_pkey.
UPDATE conversations c
SET archived = %(now)s
FROM unnest(%(scopes)s::uuid[], %(sessions)s::text[]) AS d (scope, session)
WHERE
    c.scope = d.scope
    AND c.session = d.session
    AND c.archived IS NULL
    AND (%(before)s::timestamptz IS NULL OR c.touched <= %(before)s)
RETURNING c.scope, c.session
