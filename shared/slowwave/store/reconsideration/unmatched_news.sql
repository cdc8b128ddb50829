-- The reported ends that packs have read since a given time and that ended no belief.
--
-- Served by deltas_scope_recorded_key or deltas_in_order, then delta_payloads_pkey and delta_sources_pkey.
WITH told AS MATERIALIZED (
    SELECT d.id, d.kind, d.mode, d.pack, d.valid, s.episode, s.span_start, s.span_end
    FROM deltas AS d
    JOIN delta_sources AS s ON s.delta = d.id
    WHERE
        d.scope = %(scope)s AND d.recorded > %(since)s::timestamptz
        AND (d.kind IN ('update', 'delete') OR (d.kind = 'noop' AND s.ordinal = 0))
    ORDER BY d.recorded DESC
    LIMIT %(most)s
)
SELECT n.id
FROM told AS n
JOIN delta_payloads AS p ON p.delta = n.id
WHERE
    n.kind = 'noop' AND n.mode = 'end' AND n.valid IS NOT NULL AND NOT starts_with(n.pack, '_')
    AND p.payload #>> '{claim,effect}' = ANY(%(effects)s::text[])
    AND NOT EXISTS (
        SELECT FROM told AS e
        WHERE
            e.kind IN ('update', 'delete') AND e.episode = n.episode
            AND e.span_start < n.span_end AND n.span_start < e.span_end
    )
