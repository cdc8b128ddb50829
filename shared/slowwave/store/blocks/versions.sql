-- The versions of facts that these scopes believe, in order. A scope without beliefs has no row.
--
-- Served by facts_open.
SELECT f.scope, array_agg(f.version ORDER BY f.version) AS versions
FROM facts AS f
WHERE f.scope = ANY(%(scopes)s::uuid[]) AND upper_inf(f.recorded)
GROUP BY f.scope
ORDER BY f.scope
