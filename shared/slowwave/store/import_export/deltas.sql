-- A limited number of a scope's deltas recorded after a given time, in order. Each has its text, the cited words, and
-- the memories from which the delta was made.
--
-- Served by deltas_scope_recorded_key, delta_payloads_pkey, delta_sources_pkey and delta_origins_pkey.
SELECT
    to_jsonb(d) - ARRAY['tenant', 'scope']
    || jsonb_build_object(
        'payload', (SELECT p.payload FROM delta_payloads AS p WHERE p.delta = d.id),
        'sources', (
            SELECT coalesce(jsonb_agg(to_jsonb(s) - ARRAY['tenant', 'delta'] ORDER BY s.ordinal), '[]')
            FROM delta_sources AS s WHERE s.delta = d.id
        ),
        'origins', (
            SELECT coalesce(jsonb_agg(to_jsonb(o) - ARRAY['tenant', 'delta'] ORDER BY o.ordinal), '[]')
            FROM delta_origins AS o WHERE o.delta = d.id
        )
    ) AS row
FROM deltas AS d
WHERE d.scope = %(scope)s AND d.recorded > coalesce(%(recorded)s::timestamptz, '-infinity')
ORDER BY d.recorded
LIMIT %(most)s
