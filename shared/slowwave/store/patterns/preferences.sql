-- The preferences that the ledger recorded or undid since a given time, and the held preferences of the same beliefs,
-- each with the mentions that still count, in the order of telling.
--
-- Served by deltas_scope_recorded_key, facts_of_delta, facts_open, deltas_pkey and deltas_confirming. The time is a
-- parameter, so that the planner knows that few deltas are later. Indexes need OFFSET 0, and CASE in place of coalesce,
-- with which Postgres does not use an index under row-level security.
WITH heard AS MATERIALIZED (
    SELECT DISTINCT told.fact
    FROM deltas d
    LEFT JOIN deltas first ON first.id = d.again
    CROSS JOIN LATERAL unnest(d.replaces || d.fact || first.fact) AS told (fact)
    WHERE d.scope = %(scope)s AND d.recorded > %(since)s::timestamptz AND told.fact IS NOT NULL
),
about AS MATERIALIZED (
    SELECT DISTINCT f.fact, f.belief
    FROM heard
    JOIN facts f USING (fact)
    WHERE
        f.scope = %(scope)s AND f.form = 'typed'
        AND (f.predicate = ANY(%(family)s::text[]) OR f.predicate LIKE ANY(%(prefixes)s::text[]))
),
preferred AS MATERIALIZED (
    SELECT
        f.fact, min(f.subject) AS subject, min(f.predicate) AS predicate, min(f.object) AS object,
        NOT bool_or(upper_inf(f.recorded) AND upper_inf(f.valid)) AS ended
    FROM (
        SELECT fact FROM about
        UNION
        SELECT f.fact FROM about JOIN facts f USING (belief) WHERE f.scope = %(scope)s AND upper_inf(f.recorded)
    ) AS same
    JOIN facts f USING (fact)
    WHERE f.scope = %(scope)s
    GROUP BY f.fact
)
SELECT
    p.fact, p.subject, p.predicate, p.object, p.ended,
    jsonb_agg(jsonb_build_array(
        said.payload ->> 'session', coalesce(lower(root.valid), lower(d.valid)),
        s.episode, s.key, s.position, s.span_start, s.span_end
    )
    ORDER BY root.place) AS mentions
FROM preferred p
CROSS JOIN
    LATERAL (
        SELECT p.fact AS id
        UNION ALL
        SELECT c.delta FROM slowwave_confirmations(%(scope)s, p.fact) c
    ) AS standing
CROSS JOIN LATERAL (SELECT d.id, d.again, d.valid FROM deltas d WHERE d.id = standing.id OFFSET 0) AS d
CROSS JOIN
    LATERAL (
        SELECT r.valid, coalesce(r.stands_at, r.recorded) AS place FROM deltas r
        WHERE r.id = CASE WHEN d.again IS NULL THEN d.id ELSE d.again END
        OFFSET 0
    ) AS root
JOIN delta_payloads said ON said.delta = d.id
JOIN delta_sources s ON s.delta = d.id AND s.ordinal = 0 AND s.origin IS NULL
WHERE said.payload ->> 'session' IS NOT NULL AND coalesce(lower(root.valid), lower(d.valid)) IS NOT NULL
GROUP BY p.fact, p.subject, p.predicate, p.object, p.ended
ORDER BY min(root.place), p.fact
