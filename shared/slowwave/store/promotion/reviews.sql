-- The promotions to a scope that are due for review, the longest waiting first.
--
-- Served by promotions_due, promotions_one_live, deltas_confirming and delta_sources_pkey.
SELECT
    p.promotion, p.fact, p.source_scope, p.source_fact, p.due, p.policy,
    EXISTS (SELECT FROM delta_origins o WHERE o.delta = p.fact AND o.relation = 'promoted_from')
    AND NOT EXISTS (
        SELECT FROM slowwave_confirmations(p.target, p.fact) d JOIN delta_sources t USING (delta)
        WHERE t.origin IS NULL
    ) AS taken,
    (
        SELECT array_agg(b.promotion) FROM promotions b
        WHERE b.target = p.target AND b.fact = p.fact AND b.undone IS NULL
    ) AS beside,
    (SELECT
        jsonb_agg(
            jsonb_build_array(t.episode, t.key, t.position, t.span_start, t.span_end, t.origin)
            ORDER BY t.ordinal
        )
    FROM delta_sources t WHERE t.delta = p.fact) AS sources
FROM promotions p
WHERE p.target = %(target)s AND p.undone IS NULL AND p.due <= %(now)s
ORDER BY p.due, p.promotion
LIMIT %(most)s
