-- These versions of facts in order, with their texts, and their vectors in a space.
--
-- Served by facts_pkey and fact_vectors_pkey.
SELECT
    f.scope, f.version, f.fact, f.position, f.session, f.subject, f.text, f.form, f.confidence,
    (extract(EPOCH FROM lower(f.recorded)) * 1000000)::bigint AS received,
    (extract(EPOCH FROM coalesce(lower(f.valid), lower(f.recorded))) * 1000000)::bigint AS occurred,
    (extract(EPOCH FROM lower(f.valid)) * 1000000)::bigint AS since,
    (extract(EPOCH FROM upper(f.valid)) * 1000000)::bigint AS until,
    tsvector_to_array(f.terms) AS words, vector_send(v.embedding) AS embedding
FROM facts AS f
LEFT JOIN fact_vectors AS v
    ON
        v.scope = f.scope AND v.fact = f.fact
        AND v.space = (SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s))
WHERE f.version = ANY(%(versions)s::bigint[])
ORDER BY f.version
