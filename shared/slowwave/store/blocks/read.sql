-- The blocks of these scopes, from a given block on for each, in order, with their codes in a space.
--
-- Served by word_blocks_pkey and vector_blocks_pkey.
SELECT
    w.scope, w.block, w.edition, v.edition AS code_edition, w.first_user, w.last_user,
    w.received, w.occurred, w.sessions, w.roles, w.lengths, w.words, w.starts, w.docs, v.codes
FROM unnest(%(scopes)s::uuid[], %(firsts)s::bigint[]) AS wanted (scope, first)
JOIN word_blocks AS w ON w.scope = wanted.scope AND w.block >= wanted.first
LEFT JOIN vector_blocks AS v
    ON
        v.scope = w.scope AND v.block = w.block
        AND v.space = (SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s))
ORDER BY w.scope, w.block
