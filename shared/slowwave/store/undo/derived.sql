-- Decisions of jobs in these scopes since an instant that may rest on facts: reconsiderations, and summaries of the
-- given *facts*. Each decision has the first episode that it cites.
--
-- Served by deltas_scope_recorded_key, delta_sources_pkey and delta_origins_pkey.
SELECT d.scope, d.id, d.rule, d.fact, d.recorded AS place, s.episode, o.summarises
FROM deltas d
JOIN delta_sources s ON s.delta = d.id AND s.ordinal = 0
CROSS JOIN
    LATERAL (
        SELECT coalesce(bool_or(o.memory = ANY(%(facts)s::uuid[])), FALSE) AS summarises
        FROM delta_origins o WHERE o.delta = d.id AND o.relation = 'summarises'
    ) AS o
WHERE
    d.scope = ANY(%(scopes)s::uuid[]) AND d.recorded >= %(since)s AND d.again IS NULL
    AND (d.pack = %(reconsider)s OR o.summarises)
ORDER BY d.recorded
