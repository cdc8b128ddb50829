-- The move of a scope: True if the scope moves now, the target space or else the space in use, and the position up to
-- which the scope is prepared.
--
-- Served by embedding_moves_pkey, embedding_spaces_pkey and watermarks_pkey. A scope that was never moved has no row.
SELECT
    m.toward IS NOT NULL AS moves, s.space, s.name, s.dimensions,
    coalesce((SELECT w.position FROM watermarks AS w WHERE w.scope = m.scope AND w.pack = %(pack)s), 0) AS prepared
FROM embedding_moves AS m
JOIN embedding_spaces AS s ON s.space = coalesce(m.toward, m.space)
WHERE m.scope = %(scope)s
