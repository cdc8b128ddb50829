-- The positions, by scope, of all episodes that made a fact, confirmed the fact, or led to the fact's promotion.
--
-- Served by facts_of_delta, deltas_pkey, deltas_confirming and delta_sources_pkey.
SELECT coalesce(s.origin, d.scope) AS scope, array_agg(DISTINCT s.position) AS positions
FROM deltas AS d
JOIN delta_sources AS s ON s.delta = d.id
WHERE
    d.id = %(fact)s
    OR (d.kind = 'noop' AND d.fact = %(fact)s AND d.scope = (SELECT o.scope FROM deltas AS o WHERE o.id = %(fact)s))
GROUP BY 1
