-- Entities that are not tombstoned: the name, and how often they are mentioned under all their names.
--
-- Served by entities_pkey and entities_same.
SELECT
    e.scope, e.entity AS id, e.name AS label,
    e.frequency + (
        SELECT coalesce(sum(n.frequency), 0) FROM entities n WHERE n.scope = e.scope AND n.same_as = e.entity
    )::bigint AS frequency
FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) WITH ORDINALITY AS asked (scope, entity, place)
JOIN entities e ON e.scope = asked.scope AND e.entity = asked.entity AND e.tombstoned IS NULL
ORDER BY asked.place
