-- The deltas of a scope after %(after)s, one line per delta for the seal. The keys of sources are left out, because
-- erasure empties these keys.
--
-- Served by deltas_scope_recorded_key and delta_sources_pkey.
SELECT
    d.recorded,
    jsonb_build_array(
        d.id, d.scope, d.tenant, d.run, d.pack, d.rule, d.kind, d.mode, d.position, d.belief, d.fact, d.replaces,
        d.valid, d.confidence, d.recorded, encode(d.fingerprint, 'hex'), encode(d.payload_digest, 'hex'), d.again,
        d.stands_at, (
            SELECT jsonb_agg(jsonb_build_array(s.episode, s.position, s.span_start, s.span_end) ORDER BY s.ordinal)
            FROM delta_sources AS s
            WHERE s.delta = d.id
        )
    )::text AS line
FROM deltas AS d
WHERE d.scope = %(scope)s AND (%(after)s::timestamptz IS NULL OR d.recorded > %(after)s)
ORDER BY d.recorded
