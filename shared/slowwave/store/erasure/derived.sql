-- The scopes whose deltas cite these positions of another scope, as deltas of promoted facts do.
--
-- Served by delta_sources_origin and deltas_pkey.
SELECT DISTINCT d.scope
FROM delta_sources AS s
JOIN deltas AS d ON d.id = s.delta
WHERE s.origin = %(scope)s AND (%(everything)s OR s.position = ANY(%(positions)s::bigint[])) AND d.scope <> s.origin
ORDER BY d.scope
