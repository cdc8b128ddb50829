-- The pairs of names of one entity, by a believed alias or by meaning, that are connected to the given names. A pair is
-- an entity and another name of this entity.
--
-- Served by edges_alias_of, edges_alias, entities_pkey and entities_near: a few names per entity.
WITH RECURSIVE together AS (
    SELECT named.entity FROM unnest(%(entities)s::uuid[]) AS named (entity)
    UNION
    SELECT next.entity
    FROM together
    CROSS JOIN LATERAL (
        SELECT e.target AS entity FROM edges e
        WHERE e.scope = %(scope)s AND e.source = together.entity AND NOT isempty(e.valid) AND e.kind = 'alias'
        UNION ALL
        SELECT e.source FROM edges e
        WHERE e.scope = %(scope)s AND e.target = together.entity AND NOT isempty(e.valid) AND e.kind = 'alias'
        UNION ALL
        SELECT n.near FROM entities n
        WHERE n.scope = %(scope)s AND n.entity = together.entity AND n.near IS NOT NULL
        UNION ALL
        SELECT n.entity FROM entities n WHERE n.scope = %(scope)s AND n.near = together.entity
    ) AS next
)
SELECT e.source AS entity, e.target AS other
FROM together
JOIN edges e ON e.scope = %(scope)s AND e.source = together.entity AND NOT isempty(e.valid) AND e.kind = 'alias'
UNION
SELECT n.near, n.entity
FROM together JOIN entities n ON n.scope = %(scope)s AND n.entity = together.entity AND n.near IS NOT NULL
ORDER BY 1, 2
