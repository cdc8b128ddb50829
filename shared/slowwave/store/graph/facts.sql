-- The facts of a scope from which edges are made, each with its believed valid time and its weight. The weight is one,
-- plus the number of further episodes that confirm the fact under any of its ids, see slowwave_confirmations.
--
-- One pass over the scope's part of facts and of deltas_confirming; their deltas by deltas_pkey, and those that were
-- decided again by deltas_again; sources by delta_sources_pkey.
WITH confirmed AS (
    SELECT CASE WHEN o.again IS NULL THEN o.id ELSE o.again END AS root, count(DISTINCT s.episode) AS more
    FROM deltas d
    JOIN deltas o ON o.id = d.fact AND o.scope = %(scope)s
    JOIN delta_sources s ON s.delta = d.id AND s.ordinal = 0
    WHERE
        d.scope = %(scope)s AND d.kind = 'noop' AND d.fact IS NOT NULL
        AND NOT EXISTS (
            SELECT FROM deltas later
            WHERE
                later.scope = %(scope)s AND later.again = CASE WHEN d.again IS NULL THEN d.id ELSE d.again END
                AND later.recorded > d.recorded
            OFFSET 0
        )
        AND NOT EXISTS (SELECT FROM delta_sources own WHERE own.delta = d.fact AND own.episode = s.episode)
    GROUP BY root
)
SELECT
    f.fact, f.subject, f.predicate, f.object, f.form,
    coalesce(range_agg(f.valid) FILTER (WHERE upper_inf(f.recorded)), '{}')::text AS valid,
    1 + coalesce(min(confirmed.more), 0) AS weight
FROM facts f
LEFT JOIN deltas o ON o.id = f.fact AND o.scope = %(scope)s
LEFT JOIN confirmed ON confirmed.root = CASE WHEN o.again IS NULL THEN o.id ELSE o.again END
WHERE f.scope = %(scope)s AND f.predicate <> '_erased'
GROUP BY f.fact, f.subject, f.predicate, f.object, f.form
ORDER BY f.fact
