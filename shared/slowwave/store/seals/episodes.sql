-- A limited number of a scope's episodes after a position, in order, with their stored digests. Episodes of dropped
-- months have no row in episodes. Erased episodes have none either; one is *gone* if nothing was erased in the scope,
-- and no import brought it, because an import brings episodes that are older than the scope.
--
-- Served by scope_heads_pkey, episode_keys_scope_position_key, then by the partition's primary key for each episode.
SELECT
    k.position, k.id, k.digest, k.erased, k.received, e.key, e.occurred, e.session, e.role, e.kind, e.content,
    e.metadata, starts_with(e.content, %(mark)s) AS encrypted,
    k.erased AND k.received >= h.born
    AND NOT EXISTS (SELECT FROM erasure_targets AS t WHERE t.scope = k.scope) AS gone
FROM scope_heads AS h
JOIN episode_keys AS k ON k.scope = h.scope
LEFT JOIN episodes AS e ON e.scope = k.scope AND e.position = k.position AND e.received = k.received
WHERE h.scope = %(scope)s AND k.position > %(after)s AND (e.key IS NOT NULL OR k.erased)
ORDER BY k.position
LIMIT %(most)s
