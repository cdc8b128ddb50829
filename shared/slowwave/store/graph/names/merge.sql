-- Stores the older entity with which each of the given new entities was merged.
--
-- Served by entities_pkey.
UPDATE entities e
SET near = merged.near
FROM unnest(%(entities)s::uuid[], %(near)s::uuid[]) AS merged (entity, near)
WHERE e.scope = %(scope)s AND e.entity = merged.entity AND e.near IS NULL
