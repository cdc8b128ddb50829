-- The deltas with these *ids*, with their texts, the words they cite, and when their episodes occurred, in the order
-- they were recorded.
--
-- Served by deltas_pkey, delta_payloads_pkey, delta_sources_pkey and episode_keys_scope_position_key.
SELECT
    d.id, d.scope, d.pack, d.rule, d.kind, d.mode, d.position, d.fact, d.replaces, d.valid IS NOT NULL AS ranged,
    lower(d.valid) AS valid_from, upper(d.valid) AS valid_to, d.confidence, d.recorded, d.fingerprint,
    coalesce(d.again, d.id) AS root, coalesce(d.stands_at, d.recorded) AS place, d.stands_at IS NOT NULL AS late,
    p.payload,
    (
        SELECT e.occurred
        FROM episode_keys k JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
        WHERE k.scope = d.scope AND k.position = d.position
    ) AS occurred,
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
