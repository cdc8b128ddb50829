-- Stores with which older entity each of some new ones was merged.
--
-- Served by entities_pkey.
UPDATE entities e
SET near = merged.near
FROM unnest(%(entities)s::uuid[], %(near)s::uuid[]) AS merged (entity, near)
WHERE e.scope = %(scope)s AND e.entity = merged.entity AND e.near IS NULL
