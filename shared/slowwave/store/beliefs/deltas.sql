-- The applied deltas, in order, each with its text and its sources.
--
-- Served by deltas_in_order, by deltas_of_run for a run, and by deltas_scope_recorded_key for scopes.
SELECT
    d.id, h.tenant, h.user_id, h.agent, h.channel, d.run, d.pack, d.kind, d.rule, d.fact, d.confidence, d.recorded,
    d.replaces, lower(d.valid) AS valid_from, upper(d.valid) AS valid_to, p.payload,
    ARRAY(SELECT s.episode FROM delta_sources s WHERE s.delta = d.id ORDER BY s.ordinal) AS sources
FROM deltas d
JOIN scope_heads h USING (scope)
LEFT JOIN delta_payloads p ON p.delta = d.id
WHERE
    d.tenant = %(tenant)s
    AND (%(scopes)s::uuid[] IS NULL OR d.scope = ANY(%(scopes)s))
    AND (%(run)s::bigint IS NULL OR d.run = %(run)s)
    AND (%(kind)s::text IS NULL OR d.kind = %(kind)s)
    AND (%(since)s::timestamptz IS NULL OR d.recorded >= %(since)s)
    AND (%(before)s::timestamptz IS NULL OR d.recorded < %(before)s)
    AND (%(after)s::uuid IS NULL OR (d.recorded, d.id) > (%(after_recorded)s::timestamptz, %(after)s))
ORDER BY d.recorded, d.id
LIMIT %(most)s
