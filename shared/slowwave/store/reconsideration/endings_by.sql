-- The positions and packs of some deltas, and the end of the time that each is about.
--
-- Served by deltas_pkey.
SELECT id, position, pack, upper(valid) AS until FROM deltas
WHERE id = ANY(%(ids)s::uuid[]) AND scope = %(scope)s
