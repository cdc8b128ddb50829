-- The ends, corrections and wishes to forget before a position, in episodes that occurred later than a given time, as
-- they were stated; and the pending reviews of such claims. Undone claims are left out.
--
-- Served by the scope's part of deltas and of dead_letters, by delta_payloads_pkey, delta_sources_pkey and
-- episode_keys_scope_position_key, which OFFSET 0 forces, whatever the planner expects. Used only for late claims.
WITH told AS MATERIALIZED (
    SELECT
        d.position, d.mode, d.confidence, d.rule, lower(d.valid) AS valid_from,
        coalesce(d.stands_at, d.recorded) AS place, FALSE AS asked, p.payload,
        (
            SELECT
                jsonb_agg(
                    jsonb_build_array(s.episode, s.key, s.position, s.span_start, s.span_end, s.origin)
                    ORDER BY s.ordinal
                )
            FROM delta_sources s WHERE s.delta = d.id
        ) AS sources
    FROM deltas d
    CROSS JOIN LATERAL (SELECT q.payload FROM delta_payloads q WHERE q.delta = d.id OFFSET 0) AS p
    WHERE
        d.scope = %(scope)s AND d.mode IN ('end', 'correct', 'forget') AND d.again IS NULL AND d.position < %(before)s
        AND p.payload ? 'claim'
        AND NOT EXISTS (
            SELECT FROM undone u JOIN undos o ON (o.scope, o.undo) = (u.scope, u.undo)
            WHERE u.scope = d.scope AND u.delta = d.id AND o.applied IS NOT NULL AND o.lifted IS NULL
        )
    UNION ALL
    SELECT
        l.position, l.item ->> 'mode', (l.item ->> 'confidence')::float8, l.item ->> 'rule',
        (l.item ->> 'valid_from')::timestamptz, (l.item ->> 'stands_at')::timestamptz, TRUE, l.item, l.item -> 'sources'
    FROM dead_letters l
    WHERE
        l.scope = %(scope)s AND l.category = 'conflict' AND l.state <> 'decided' AND l.position < %(before)s
        AND l.item ? 'claim' AND l.item ->> 'mode' IN ('end', 'correct', 'forget')
        AND NOT EXISTS (
            SELECT FROM undone u JOIN undos o ON (o.scope, o.undo) = (u.scope, u.undo)
            WHERE
                u.scope = l.scope AND u.delta = (l.item ->> 'delta')::uuid
                AND o.applied IS NOT NULL AND o.lifted IS NULL
        )
)
SELECT told.*, e.occurred
FROM told
CROSS JOIN
    LATERAL (
        SELECT o.occurred
        FROM episode_keys k JOIN episodes o ON (o.scope, o.position, o.received) = (k.scope, k.position, k.received)
        WHERE k.scope = %(scope)s AND k.position = told.position
        OFFSET 0
    ) AS e
WHERE e.occurred > %(occurred)s
ORDER BY told.place, told.position
