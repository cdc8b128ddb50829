-- The archived conversations of these scopes, and the time up to which their episodes are archived.
--
-- Served by conversations_hidden.
SELECT
    scope, session, date_part('epoch', greatest(CASE WHEN NOT %(archived)s THEN archived END, tombstoned)) AS until
FROM conversations
WHERE
    scope = ANY(%(scopes)s::uuid[]) AND (archived IS NOT NULL OR tombstoned IS NOT NULL)
    AND greatest(CASE WHEN NOT %(archived)s THEN archived END, tombstoned) IS NOT NULL
ORDER BY scope, session
