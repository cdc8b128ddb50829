-- Vectors of an unknown space, or with another number of dimensions than their space.
--
-- One scan of every table with vectors.
SELECT v.scope, v.memory || ' in space ' || v.space AS subject
FROM (
    SELECT scope, 'episode at ' || position AS memory, space, embedding FROM episode_vectors
    UNION ALL SELECT scope, 'fact ' || fact, space, embedding FROM fact_vectors
    UNION ALL SELECT scope, 'entity ' || entity, space, embedding FROM entity_vectors
    UNION ALL SELECT scope, 'strategy ' || strategy, space, embedding FROM strategies WHERE embedding IS NOT NULL
    UNION ALL SELECT scope, 'goal ' || goal, space, embedding FROM goals WHERE embedding IS NOT NULL
    UNION ALL SELECT scope, 'record ' || record, space, embedding FROM consensus WHERE embedding IS NOT NULL
) AS v
LEFT JOIN embedding_spaces s USING (space)
WHERE s.dimensions IS DISTINCT FROM vector_dims(v.embedding)
LIMIT %(most)s
