-- The embedding spaces that the given scopes use: the space to which a scope was moved, or else the space of its first
-- memory.
--
-- Served by embedding_moves_pkey, embedding_spaces_pkey and the primary keys of the vectors. A scope without vectors
-- has no space yet.
SELECT asked.scope, s.space, s.name, s.dimensions
FROM unnest(%(scopes)s::uuid[]) AS asked (scope)
LEFT JOIN embedding_moves AS m ON m.scope = asked.scope
JOIN embedding_spaces AS s
    ON s.space = coalesce(
        m.space,
        (
            SELECT v.space FROM episode_vectors AS v
            WHERE v.scope = asked.scope ORDER BY v.position, v.space LIMIT 1
        ),
        (SELECT v.space FROM fact_vectors AS v WHERE v.scope = asked.scope ORDER BY v.fact, v.space LIMIT 1)
    )
ORDER BY asked.scope
