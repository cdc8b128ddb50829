-- Locks entities until the transaction ends, in the order of scope and id.
--
-- Served by entities_pkey.
SELECT e.scope, e.entity
FROM entities e
JOIN unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS k (scope, entity) ON k.scope = e.scope AND k.entity = e.entity
ORDER BY e.scope, e.entity
FOR UPDATE OF e
