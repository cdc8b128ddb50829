-- Those of these facts that name an entity with at least a given number of mentions under that name.
--
-- Served by edges_pkey and entities_pkey.
SELECT DISTINCT g.fact
FROM unnest(%(scopes)s::uuid[], %(facts)s::uuid[]) AS told (scope, fact)
JOIN edges AS g ON g.scope = told.scope AND g.fact = told.fact
JOIN entities AS e ON e.scope = g.scope AND e.entity = g.target
WHERE e.frequency >= %(least)s
ORDER BY g.fact
