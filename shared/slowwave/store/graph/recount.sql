-- Sets the correct frequency of each entity, and the correct entity for which it stands.
--
-- Served by entities_pkey.
UPDATE entities e
SET frequency = should.frequency, same_as = should.same_as
FROM unnest(%(entities)s::uuid[], %(frequencies)s::bigint[], %(same)s::uuid[]) AS should (entity, frequency, same_as)
WHERE
    e.scope = %(scope)s AND e.entity = should.entity
    AND (e.frequency, e.same_as) IS DISTINCT FROM (should.frequency, should.same_as)
