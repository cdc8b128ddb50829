-- Stores the vectors of prepared episodes, once each.
--
-- Served by episode_vectors_pkey.
INSERT INTO episode_vectors (scope, position, space, tenant, embedding)
SELECT %(scope)s, position, %(space)s, slowwave_tenant(), embedding
FROM unnest(%(positions)s::bigint[], %(vectors)b::vector[]) AS new (position, embedding)
ON CONFLICT DO NOTHING
