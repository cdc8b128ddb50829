-- The entities whose names are nearest to a vector, each under the entity for which its name stands, best first.
--
-- One exact pass over the scopes' part of entity_vectors_pkey; entities by entities_pkey.
SELECT scope, entity, max(similarity) AS similarity
FROM (
    SELECT v.scope, coalesce(e.same_as, e.entity) AS entity, 1 - (v.embedding <=> %(vector)b::vector) AS similarity
    FROM entity_vectors v JOIN entities e ON e.scope = v.scope AND e.entity = v.entity
    WHERE
        v.scope = ANY(%(scopes)s::uuid[])
        AND v.space = (
            SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, vector_dims(%(vector)b::vector))
        )
        AND e.tombstoned IS NULL AND e.frequency > 0
    ORDER BY v.embedding <=> %(vector)b::vector, v.scope, v.entity
    LIMIT 2 * %(most)s
) AS near
GROUP BY scope, entity
ORDER BY similarity DESC, scope, entity
LIMIT %(most)s
