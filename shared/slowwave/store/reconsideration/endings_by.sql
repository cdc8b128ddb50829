-- The positions and packs of some deltas, and the end of the valid time of each.
--
-- Served by deltas_pkey.
SELECT id, position, pack, upper(valid) AS until FROM deltas
WHERE id = ANY(%(ids)s::uuid[]) AND scope = %(scope)s
