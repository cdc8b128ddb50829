-- The reported changes with these fingerprints that are later than a given time, each with its claim and its words. If
-- a change was decided again, the latest decision counts, and the first decision has the claim.
--
-- Served by deltas_remembered, delta_payloads_pkey, delta_sources_pkey and deltas_again. CASE, since with coalesce no
-- index would serve: under row-level security Postgres does not consider it leakproof.
SELECT
    d.rule, d.confidence, p.payload, lower(d.valid) AS valid_from,
    (
        SELECT
            jsonb_agg(
                jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin) ORDER BY s.ordinal
            )
        FROM delta_sources s WHERE s.delta = d.id
    ) AS sources
FROM deltas d
JOIN delta_payloads p ON p.delta = CASE WHEN d.again IS NULL THEN d.id ELSE d.again END
WHERE
    d.scope = %(scope)s AND d.mode = 'end' AND d.fingerprint = ANY(%(prints)s::bytea[])
    AND lower(d.valid) > %(since)s AND p.payload -> 'claim' ? 'effect'
    AND NOT EXISTS (
        SELECT FROM deltas later
        WHERE
            later.scope = d.scope AND later.again = CASE WHEN d.again IS NULL THEN d.id ELSE d.again END
            AND later.mode <> 'withdraw'
            AND later.recorded > d.recorded
    )
ORDER BY d.recorded
