-- Writes promotions, and copies the vectors of their sources to the promoted facts.
--
-- Guarded by promotions_one_live. Served by fact_vectors_pkey.
WITH new AS MATERIALIZED (
    SELECT * FROM unnest(
        %(facts)s::uuid[], %(source_scopes)s::uuid[], %(source_facts)s::uuid[], %(confirmed)s::boolean[],
        %(policies)s::text[]
    ) AS new (fact, source_scope, source_fact, confirmed, policy)
),
meant AS (
    INSERT INTO fact_vectors (scope, fact, space, tenant, embedding)
    SELECT %(target)s, new.fact, v.space, v.tenant, v.embedding
    FROM new JOIN fact_vectors v ON v.scope = new.source_scope AND v.fact = new.source_fact
    WHERE NOT new.confirmed
    ON CONFLICT DO NOTHING
)
INSERT INTO promotions (tenant, target, fact, source_scope, source_fact, confirmed, policy, promoted)
SELECT slowwave_tenant(), %(target)s, fact, source_scope, source_fact, confirmed, policy::jsonb, slowwave_now()
FROM new
