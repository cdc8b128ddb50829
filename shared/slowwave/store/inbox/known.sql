-- Those of these episodes that are stored already, with their positions and digests, and whether
-- they were erased.
--
-- Served by episode_keys_pkey.
SELECT k.id, k.position, k.digest, k.erased
FROM unnest(%(scopes)s::uuid[], %(ids)s::uuid[]) AS asked (scope, id)
JOIN episode_keys k USING (scope, id)
