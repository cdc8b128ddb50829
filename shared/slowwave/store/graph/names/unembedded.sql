-- Names of a scope's entities that have no vector in an embedding space yet, oldest first.
--
-- One pass over the scope's part of entities_pkey, against entity_vectors_pkey.
SELECT e.name
FROM entities e
WHERE
    e.scope = %(scope)s AND e.tombstoned IS NULL AND e.frequency > 0
    AND NOT EXISTS (
        SELECT FROM entity_vectors v WHERE v.scope = e.scope AND v.entity = e.entity AND v.space = %(space)s
    )
ORDER BY e.first_seen, e.entity
LIMIT %(most)s
