-- The versions of a scope's graph, newest first.
--
-- Served by graph_versions_pkey, from its newest end.
SELECT version, run, at, added, confirmed, ended
FROM graph_versions
WHERE scope = %(scope)s
ORDER BY version DESC
LIMIT %(most)s
