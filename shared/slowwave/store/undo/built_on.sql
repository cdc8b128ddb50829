-- The runs that confirmed, replaced or ended one of these *facts*, or made a memory of such a fact.
--
-- Served by deltas_confirming, deltas_scope_recorded_key, delta_origins_memory and runs_pkey.
SELECT r.run, r.job, r.pack, r.started
FROM runs r
WHERE
    r.job <> 'undo' AND r.run IN (
        SELECT d.run
        FROM deltas d
        WHERE
            d.scope = ANY(%(scopes)s::uuid[]) AND d.recorded >= %(since)s
            AND (d.fact = ANY(%(facts)s::uuid[]) OR d.replaces && %(facts)s::uuid[])
            AND d.id <> ALL(%(out)s::uuid[]) AND coalesce(d.again, d.id) <> ALL(%(out)s::uuid[])
        UNION
        SELECT d.run
        FROM delta_origins o
        JOIN deltas d ON d.id = o.delta
        WHERE o.memory = ANY(%(facts)s::uuid[]) AND d.id <> ALL(%(out)s::uuid[])
    )
ORDER BY r.run
