-- The entities for which the given names stand in these scopes, the longest name first. Unknown names are left out.
--
-- Served by entities_pkey, one lookup per name.
SELECT e.scope, coalesce(e.same_as, e.entity) AS entity, e.name
FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS asked (scope, entity)
JOIN entities e ON e.scope = asked.scope AND e.entity = asked.entity AND e.tombstoned IS NULL AND e.frequency > 0
ORDER BY length(e.name) DESC, e.name, e.scope
