-- Stores the vectors of names of existing entities without a vector. Returns these entities, each with True if another
-- entity has a similarly spelled name.
--
-- Guarded by entity_vectors_pkey; entities by entities_pkey, one lookup each, and entities_spelled.
WITH kept AS (
    INSERT INTO entity_vectors (scope, entity, space, tenant, embedding)
    SELECT %(scope)s, new.entity, %(space)s, slowwave_tenant(), new.embedding
    FROM unnest(%(entities)s::uuid[], %(vectors)b::vector[]) AS new (entity, embedding)
    CROSS JOIN
        LATERAL (
            SELECT FROM entities AS e WHERE e.scope = %(scope)s AND e.entity = new.entity OFFSET 0
        ) AS there
    ON CONFLICT DO NOTHING
    RETURNING entity
)
SELECT
    kept.entity,
    EXISTS(
        SELECT FROM entities o
        WHERE o.scope = e.scope AND o.spelled = e.spelled AND o.entity <> e.entity AND o.tombstoned IS NULL
    ) AS agrees
FROM kept
CROSS JOIN
    LATERAL (
        SELECT * FROM entities WHERE scope = %(scope)s AND entity = kept.entity OFFSET 0
    ) AS e
