-- Keeps what the names of entities mean to an embedder, as far as they are there and it is not known yet;
-- returns whose that are.
--
-- Guarded by entity_vectors_pkey; entities by entities_pkey.
INSERT INTO entity_vectors (scope, entity, space, tenant, embedding)
SELECT %(scope)s, new.entity, %(space)s, slowwave_tenant(), new.embedding
FROM unnest(%(entities)s::uuid[], %(vectors)b::vector[]) AS new (entity, embedding)
JOIN entities e ON e.scope = %(scope)s AND e.entity = new.entity
ON CONFLICT DO NOTHING
RETURNING entity
