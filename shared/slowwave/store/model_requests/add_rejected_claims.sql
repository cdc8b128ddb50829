-- Inserts rejected claims, each with its reason.
--
-- Appends to model_rejected.
INSERT INTO model_rejected (tenant, scope, pack, request, run, position, reason, said)
SELECT slowwave_tenant(), %(scope)s, %(pack)s, request, %(run)s, position, reason, said::jsonb
FROM
    unnest(%(requests)s::text[], %(positions)s::bigint[], %(reasons)s::text[], %(said)s::text[])
        AS new (request, position, reason, said)
