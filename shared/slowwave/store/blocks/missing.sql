-- The oldest complete blocks of a scope that are not packed, or whose vectors in this space are missing, were added
-- late, or were packed by an earlier version, whose codes have another length.
--
-- Served by word_blocks_pkey and vector_blocks_pkey: reads the scope's part, and no packed column, only its length.
SELECT block, w.block IS NULL AS words, v.block IS NULL OR block = ANY(%(late_blocks)s::bigint[]) AS vectors
FROM generate_series(0, %(complete)s::bigint - 1) AS complete (block)
LEFT JOIN (SELECT block FROM word_blocks WHERE scope = %(scope)s) AS w USING (block)
LEFT JOIN (
    SELECT block FROM vector_blocks
    WHERE scope = %(scope)s AND space = %(space)s AND octet_length(codes) = %(code_bytes)s
) AS v USING (block)
WHERE w.block IS NULL OR v.block IS NULL OR block = ANY(%(late_blocks)s::bigint[])
ORDER BY block = ANY(%(late_blocks)s::bigint[]) DESC, block
LIMIT %(most)s
