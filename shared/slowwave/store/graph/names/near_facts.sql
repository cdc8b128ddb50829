-- The facts whose sentences are nearest to a vector, of those believed and valid now with at least the given
-- confidence; best first.
--
-- One exact pass over the scopes' part of fact_vectors_pkey; facts by facts_of_delta.
SELECT v.fact
FROM fact_vectors v
WHERE
    v.scope = ANY(%(scopes)s::uuid[])
    AND v.space = (
        SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, vector_dims(%(vector)b::vector))
    )
    AND EXISTS (
        SELECT FROM facts f
        WHERE
            f.fact = v.fact AND f.scope = v.scope AND upper_inf(f.recorded) AND f.valid @> slowwave_now()
            AND f.confidence >= %(sure)s
    )
ORDER BY v.embedding <=> %(vector)b::vector, v.fact
LIMIT %(most)s
