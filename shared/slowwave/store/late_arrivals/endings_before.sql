-- Ends, deletions and confirmations recorded before *since*, each as it was at *since*. For reported changes, also the
-- claim, which the first decision has.
--
-- Served by the scope's part of deltas, by deltas_again and delta_payloads_pkey, for which CASE is used instead of the
-- shorter coalesce. Used only for late claims.
SELECT
    d.kind, d.mode, d.fingerprint, d.fact, lower(d.valid) AS at, lower(d.valid) AS valid_from, d.rule, d.confidence,
    p.payload,
    (
        SELECT
            jsonb_agg(
                jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin) ORDER BY s.ordinal
            )
        FROM delta_sources s WHERE s.delta = p.delta
    ) AS sources
FROM deltas d
LEFT JOIN
    delta_payloads p
    ON
        p.delta = CASE WHEN d.again IS NULL THEN d.id ELSE d.again END AND d.mode = 'end'
        AND p.payload -> 'claim' ? 'effect'
WHERE
    d.scope = %(scope)s AND d.recorded < %(since)s
    AND (
        d.mode = 'forget' OR (d.mode = 'end' AND NOT lower_inf(d.valid))
        OR (d.kind = 'noop' AND d.fact = ANY(%(facts)s::uuid[]) AND NOT lower_inf(d.valid))
    )
    AND NOT EXISTS (
        SELECT FROM deltas later
        WHERE
            later.scope = d.scope AND later.again = coalesce(d.again, d.id) AND later.mode <> 'withdraw'
            AND later.recorded > d.recorded AND later.recorded < %(since)s
    )
ORDER BY d.recorded
