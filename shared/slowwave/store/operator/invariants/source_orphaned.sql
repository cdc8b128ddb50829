-- Sources of no delta, or of an episode that is not known where they say it is.
--
-- One scan of delta_sources against deltas_pkey and episode_keys_pkey. *origin* is the scope the episode lies in where
-- it is not the delta's own; who sees one tenant finds an edge into another as one into nothing.
SELECT coalesce(s.origin, d.scope) AS scope, 'source ' || s.ordinal || ' of delta ' || s.delta AS subject
FROM delta_sources s
LEFT JOIN deltas d ON d.id = s.delta
LEFT JOIN episode_keys k ON k.scope = coalesce(s.origin, d.scope) AND k.id = s.episode AND k.position = s.position
WHERE d.id IS NULL OR k.id IS NULL
LIMIT %(most)s
