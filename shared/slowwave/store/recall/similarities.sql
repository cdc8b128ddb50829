-- The similarity of the episodes at these positions to a question, in order; NULL without a vector in this space.
-- Each position has the number of its scope in a list, from 1.
--
-- Served by the primary key of episode_vectors: one row per position.
SELECT array_agg(near.similarity ORDER BY c.ordinal) AS similarities
FROM
    unnest(%(sides)s::int[], %(positions)s::bigint[]) WITH ORDINALITY AS c (side, position, ordinal)
LEFT JOIN
    LATERAL (
        SELECT nullif(1 - (v.embedding <=> %(vector)s::vector), 'NaN') AS similarity
        FROM episode_vectors AS v
        WHERE
            v.scope = (%(side_scopes)s::uuid[])[c.side] AND v.position = c.position
            AND v.space = (
                SELECT space FROM embedding_spaces
                WHERE (name, dimensions) = (%(space)s, vector_dims(%(vector)s::vector))
            )
        OFFSET 0
    ) AS near
    ON true
