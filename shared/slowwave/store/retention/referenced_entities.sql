-- The subjects of open facts of these scopes, by name, and the entities that these facts name. The facts *gone* count
-- as closed.
--
-- Served by facts_open_recent and by edges_pkey.
SELECT DISTINCT scope, subject, NULL::uuid AS target
FROM facts
WHERE scope = ANY(%(scopes)s::uuid[]) AND upper_inf(recorded) AND fact <> ALL(%(gone)s::uuid[])
UNION ALL
SELECT DISTINCT scope, NULL, target
FROM edges
WHERE
    scope = ANY(%(scopes)s::uuid[]) AND target IS NOT NULL AND NOT isempty(valid) AND fact <> ALL(%(gone)s::uuid[])
