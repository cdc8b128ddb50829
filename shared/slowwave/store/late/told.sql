-- The deltas with these *ids*, with their texts and the words they cite, in the order they were recorded.
--
-- Served by deltas_pkey, delta_payloads_pkey and delta_sources_pkey.
SELECT
    d.id, d.scope, d.pack, d.rule, d.kind, d.mode, d.position, d.fact, d.replaces, d.valid IS NOT NULL AS ranged,
    lower(d.valid) AS valid_from, upper(d.valid) AS valid_to, d.confidence, d.recorded, d.fingerprint,
    coalesce(d.again, d.id) AS root, coalesce(d.stands_at, d.recorded) AS place, p.payload,
    (
        SELECT
            jsonb_agg(
                jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin) ORDER BY s.ordinal
            )
        FROM delta_sources s WHERE s.delta = d.id
    ) AS sources
FROM deltas d
JOIN delta_payloads p ON p.delta = d.id
WHERE d.scope = %(scope)s AND d.id = ANY(%(ids)s::uuid[])
ORDER BY d.recorded, d.id
