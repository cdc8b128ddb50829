-- The positions of those of these episodes that belong to these scopes.
--
-- Served by the primary key of episode_keys.
SELECT k.scope, k.position
FROM episode_keys AS k
WHERE k.scope = ANY(%(scopes)s::uuid[]) AND k.id = ANY(%(ids)s::uuid[])
ORDER BY k.scope, k.position
