-- Locks the entities with some names and at the ends of some facts' edges, in one fixed order, until the transaction
-- ends.
--
-- Served by edges_pkey and entities_pkey.
SELECT e.entity
FROM entities e
WHERE
    e.scope = %(scope)s
    AND e.entity IN (
        SELECT named.entity FROM unnest(%(entities)s::uuid[]) AS named (entity)
        UNION
        SELECT ends.entity
        FROM edges g CROSS JOIN LATERAL (VALUES (g.source), (g.target)) AS ends (entity)
        WHERE g.scope = %(scope)s AND g.fact = ANY(%(facts)s::uuid[])
    )
ORDER BY e.entity
FOR UPDATE OF e
