-- One row per fact, in order, with True if the fact is archived. If requested, also with True if a correction made the
-- fact, and with the fact's sources.
--
-- Served by standing_pkey, deltas_pkey and delta_sources_pkey: one row per fact.
SELECT
    NOT %(shelved)s AND EXISTS (
        SELECT FROM standing AS t WHERE t.scope = c.scope AND t.memory = c.fact AND t.tier = 'archive'
    ) AS put_by,
    c.unread AND EXISTS (
        SELECT FROM deltas AS d WHERE d.id = c.fact AND d.kind = 'update' AND d.mode = 'correct'
    ) AS corrects,
    s.episodes, s.keys, s.positions, s.starts, s.ends, s.origins
FROM
    unnest(%(of_scopes)s::uuid[], %(facts)s::uuid[], %(unread)s::boolean[])
    WITH ORDINALITY AS c (scope, fact, unread, ordinal)
LEFT JOIN
    LATERAL (
        SELECT
            array_agg(d.episode ORDER BY d.ordinal) AS episodes, array_agg(d.key ORDER BY d.ordinal) AS keys,
            array_agg(d.position ORDER BY d.ordinal) AS positions,
            array_agg(d.span_start ORDER BY d.ordinal) AS starts, array_agg(d.span_end ORDER BY d.ordinal) AS ends,
            array_agg(d.origin ORDER BY d.ordinal) AS origins
        FROM delta_sources AS d
        WHERE c.unread AND d.delta = c.fact
    ) AS s
    ON true
ORDER BY c.ordinal
