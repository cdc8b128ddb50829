-- All names of the given entities, in the order of the input. An entity's own name comes first.
--
-- Served by entities_pkey and entities_same.
SELECT own.scope, own.entity, own.name
FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) WITH ORDINALITY AS asked (scope, root, place)
CROSS JOIN
    LATERAL (
        SELECT e.scope, e.entity, e.name FROM entities AS e WHERE e.scope = asked.scope AND e.entity = asked.root
        UNION ALL
        SELECT e.scope, e.entity, e.name FROM entities AS e WHERE e.scope = asked.scope AND e.same_as = asked.root
    ) AS own
ORDER BY asked.place, own.entity <> asked.root, own.name
