-- Replaces the edges of the given facts by the correct edges.
--
-- Served by edges_pkey.
INSERT INTO edges AS e (scope, fact, tenant, source, relation, target, kind, valid, weight)
SELECT %(scope)s, fact, slowwave_tenant(), source, relation, target, kind, valid::tstzmultirange, weight
FROM
    unnest(
        %(facts)s::uuid[], %(sources)s::uuid[], %(relations)s::text[], %(targets)s::uuid[], %(kinds)s::text[],
        %(valids)s::text[], %(weights)s::bigint[]
    ) AS should (fact, source, relation, target, kind, valid, weight)
ON CONFLICT (scope, fact) DO UPDATE SET
    source = excluded.source, relation = excluded.relation, target = excluded.target, kind = excluded.kind,
    valid = excluded.valid, weight = excluded.weight
