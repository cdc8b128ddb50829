-- Inserts the vectors of names of entities in a space, once each.
--
-- Guarded by entity_vectors_pkey.
INSERT INTO entity_vectors (scope, entity, space, tenant, embedding)
SELECT %(scope)s, new.entity, %(space)s, slowwave_tenant(), new.embedding
FROM unnest(%(ids)s::uuid[], %(vectors)b::vector[]) AS new (entity, embedding)
ON CONFLICT DO NOTHING
