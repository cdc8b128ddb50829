-- The preferences that the ledger recorded or undid since a given time, each with all its mentions, and with the number
-- of sessions of those mentions that still count.
--
-- Served by deltas_scope_recorded_key, facts_of_delta, deltas_pkey and deltas_confirming. The time is a parameter, so
-- that the planner knows that few deltas are later.
WITH heard AS MATERIALIZED (
    SELECT DISTINCT told.fact
    FROM deltas d
    LEFT JOIN deltas first ON first.id = d.again
    CROSS JOIN LATERAL unnest(d.replaces || d.fact || first.fact) AS told (fact)
    WHERE d.scope = %(scope)s AND d.recorded > %(since)s::timestamptz AND told.fact IS NOT NULL
),
preferred AS MATERIALIZED (
    SELECT
        f.fact, min(f.subject) AS subject, min(f.predicate) AS predicate, min(f.object) AS object,
        NOT bool_or(upper_inf(f.recorded) AND upper_inf(f.valid)) AS ended
    FROM heard
    JOIN facts f USING (fact)
    WHERE
        f.scope = %(scope)s AND f.form = 'typed'
        AND (f.predicate = ANY(%(family)s::text[]) OR f.predicate LIKE ANY(%(prefixes)s::text[]))
    GROUP BY f.fact
)
SELECT
    p.fact, p.subject, p.predicate, p.object, p.ended,
    jsonb_agg(jsonb_build_array(
        d.payload ->> 'session', d.valid_from, s.episode, s.key, s.position, s.span_start, s.span_end
    )
    ORDER BY d.recorded) AS mentions,
    (
        SELECT count(DISTINCT said.payload ->> 'session')
        FROM (
            SELECT p.fact AS delta
            UNION ALL
            SELECT c.delta FROM slowwave_confirmations(%(scope)s, p.fact) c
        ) AS standing
        JOIN delta_payloads said USING (delta)
    ) AS sessions
FROM preferred p
CROSS JOIN
    LATERAL (
        SELECT own.id, own.recorded, lower(own.valid) AS valid_from, said.payload
        FROM deltas own JOIN delta_payloads said ON said.delta = own.id
        WHERE own.scope = %(scope)s AND own.id = p.fact
        UNION ALL
        SELECT again.id, again.recorded, lower(again.valid), said.payload
        FROM deltas again JOIN delta_payloads said ON said.delta = again.id
        WHERE again.scope = %(scope)s AND again.fact = p.fact AND again.kind = 'noop'
    ) AS d
JOIN delta_sources s ON s.delta = d.id AND s.ordinal = 0 AND s.origin IS NULL
WHERE d.payload ->> 'session' IS NOT NULL AND d.valid_from IS NOT NULL
GROUP BY p.fact, p.subject, p.predicate, p.object, p.ended
ORDER BY min(d.recorded), p.fact
