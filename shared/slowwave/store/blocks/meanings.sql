-- The vectors of these facts of these scopes in a space, where they exist.
--
-- Served by fact_vectors_pkey.
SELECT v.fact, vector_send(v.embedding) AS embedding
FROM unnest(%(of_scopes)s::uuid[], %(facts)s::uuid[]) AS wanted (scope, fact)
JOIN fact_vectors AS v ON v.scope = wanted.scope AND v.fact = wanted.fact
WHERE v.space = (SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s))
ORDER BY v.fact
