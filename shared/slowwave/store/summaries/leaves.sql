-- The latest summaries of unarchived sessions, each with its vector in an embedding space.
--
-- Served by facts_summaries, conversations_pkey and fact_vectors_pkey.
SELECT f.fact, f.subject, f.object, v.embedding
FROM facts AS f
LEFT JOIN fact_vectors AS v ON (v.scope, v.fact, v.space) = (f.scope, f.fact, %(space)s::smallint)
WHERE
    f.scope = %(scope)s AND f.predicate = 'summary' AND upper_inf(f.recorded) AND upper_inf(f.valid)
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = f.scope AND c.session = f.session AND c.archived IS NOT NULL
    )
ORDER BY f.subject, f.fact
