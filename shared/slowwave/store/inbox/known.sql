-- Which of these episodes are known already, where they stand and what they said.
--
-- Served by episode_keys_pkey.
SELECT k.id, k.position, k.digest
FROM unnest(%(scopes)s::uuid[], %(ids)s::uuid[]) AS asked (scope, id)
JOIN episode_keys k USING (scope, id)
