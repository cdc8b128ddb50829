-- The facts of a scope from which edges are made, each with its believed valid time and its weight. The weight is one,
-- plus the number of further episodes that confirm the fact.
--
-- One pass over the scope's part of facts and of deltas_confirming; sources by delta_sources_pkey.
WITH confirmed AS (
    SELECT d.fact, count(DISTINCT s.episode) AS more
    FROM deltas d JOIN delta_sources s ON s.delta = d.id AND s.ordinal = 0
    WHERE
        d.scope = %(scope)s AND d.kind = 'noop' AND d.fact IS NOT NULL
        AND NOT EXISTS (SELECT FROM delta_sources own WHERE own.delta = d.fact AND own.episode = s.episode)
    GROUP BY d.fact
)
SELECT
    f.fact, f.subject, f.predicate, f.object, f.form,
    coalesce(range_agg(f.valid) FILTER (WHERE upper_inf(f.recorded)), '{}')::text AS valid,
    1 + coalesce(min(confirmed.more), 0) AS weight
FROM facts f LEFT JOIN confirmed USING (fact)
WHERE f.scope = %(scope)s AND f.predicate <> '_erased'
GROUP BY f.fact, f.subject, f.predicate, f.object, f.form
ORDER BY f.fact
