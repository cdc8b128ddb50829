-- Inserts the vectors of facts in a space, once each.
--
-- Guarded by fact_vectors_pkey.
INSERT INTO fact_vectors (scope, fact, space, tenant, embedding)
SELECT %(scope)s, new.fact, %(space)s, slowwave_tenant(), new.embedding
FROM unnest(%(ids)s::uuid[], %(vectors)b::vector[]) AS new (fact, embedding)
ON CONFLICT DO NOTHING
