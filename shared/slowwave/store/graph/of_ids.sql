-- The entities for which the given entity ids stand in these scopes, in the order of the input. Unknown ids are left
-- out.
--
-- Served by entities_pkey, one lookup per id.
SELECT e.scope, coalesce(e.same_as, e.entity) AS entity
FROM unnest(%(entities)s::uuid[]) WITH ORDINALITY AS asked (entity, place)
JOIN entities e ON e.scope = ANY(%(scopes)s::uuid[]) AND e.entity = asked.entity AND e.tombstoned IS NULL
ORDER BY asked.place, e.scope
