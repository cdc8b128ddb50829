-- Sources without a delta, or of an episode that is not at the given scope and position.
--
-- One scan of delta_sources against deltas_pkey and episode_keys_pkey. *origin* is the episode's scope if this scope
-- differs from the delta's scope. For a role that sees one tenant, a reference into another tenant is a missing
-- episode.
SELECT coalesce(s.origin, d.scope) AS scope, 'source ' || s.ordinal || ' of delta ' || s.delta AS subject
FROM delta_sources s
LEFT JOIN deltas d ON d.id = s.delta
LEFT JOIN episode_keys k ON k.scope = coalesce(s.origin, d.scope) AND k.id = s.episode AND k.position = s.position
WHERE d.id IS NULL OR k.id IS NULL
LIMIT %(most)s
