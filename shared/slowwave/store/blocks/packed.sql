-- Those of these blocks of a scope that are packed, and the number and dimensions of each space in which they are
-- packed.
--
-- Served by word_blocks_pkey, vector_blocks_pkey and embedding_spaces_pkey.
SELECT w.block, v.space, s.dimensions
FROM word_blocks AS w
LEFT JOIN vector_blocks AS v ON v.scope = w.scope AND v.block = w.block
LEFT JOIN embedding_spaces AS s ON s.space = v.space
WHERE w.scope = %(scope)s AND w.block = ANY(%(blocks)s::bigint[])
ORDER BY w.block, v.space
