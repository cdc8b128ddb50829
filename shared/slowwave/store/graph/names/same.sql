-- Stores the entity for which each of the given names stands. NULL is stored for a name that stands for itself.
--
-- Served by entities_pkey.
UPDATE entities e
SET same_as = nullif(named.root, e.entity)
FROM unnest(%(entities)s::uuid[], %(roots)s::uuid[]) AS named (entity, root)
WHERE e.scope = %(scope)s AND e.entity = named.entity AND e.same_as IS DISTINCT FROM nullif(named.root, e.entity)
