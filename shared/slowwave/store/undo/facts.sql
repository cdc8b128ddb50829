-- The facts that these decisions made, at first or when they were decided again, each with the first decision and the
-- episode that says it.
--
-- Served by deltas_pkey, deltas_again and delta_sources_pkey.
SELECT d.scope, d.id AS fact, s.episode
FROM deltas d
JOIN delta_sources s ON s.delta = d.id AND s.ordinal = 0
WHERE
    d.scope = ANY(%(scopes)s::uuid[]) AND d.kind IN ('add', 'update')
    AND (d.id = ANY(%(deltas)s::uuid[]) OR d.again = ANY(%(deltas)s::uuid[]))
ORDER BY d.recorded, d.id
