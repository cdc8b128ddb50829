-- The move of a scope: whether it moves now, its target space, or else the space it uses, and up to where it is
-- prepared.
--
-- Served by embedding_moves_pkey, embedding_spaces_pkey and watermarks_pkey. No row for a scope that was never moved.
SELECT
    m.toward IS NOT NULL AS moves, s.space, s.name, s.dimensions,
    coalesce((SELECT w.position FROM watermarks AS w WHERE w.scope = m.scope AND w.pack = %(pack)s), 0) AS prepared
FROM embedding_moves AS m
JOIN embedding_spaces AS s ON s.space = coalesce(m.toward, m.space)
WHERE m.scope = %(scope)s
