-- Those of these facts that are confirmed by an episode that is not erased. Such facts may be learned again.
--
-- Served by deltas_confirming and delta_sources_pkey.
SELECT DISTINCT d.fact
FROM deltas AS d
JOIN delta_sources AS s ON s.delta = d.id
JOIN episode_keys AS k ON k.scope = coalesce(s.origin, d.scope) AND k.position = s.position
WHERE
    d.scope = %(scope)s AND d.kind = 'noop' AND d.fact = ANY(%(facts)s::uuid[]) AND d.id <> ALL(%(deltas)s::uuid[])
    AND NOT k.erased
