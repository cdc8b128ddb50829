-- The editions of the blocks of these scopes up to a block each, in one digest: by it a process knows what it keeps.
--
-- Served by word_blocks_pkey and vector_blocks_pkey, of which no column that is packed is read.
SELECT
    kept.scope,
    md5(string_agg(uuid_send(w.edition) || coalesce(uuid_send(v.edition), ''), ''::bytea ORDER BY w.block)) AS digest
FROM unnest(%(scopes)s::uuid[], %(lasts)s::bigint[]) AS kept (scope, last)
JOIN word_blocks AS w ON w.scope = kept.scope AND w.block <= kept.last
LEFT JOIN vector_blocks AS v
    ON
        v.scope = w.scope AND v.block = w.block
        AND v.space = (SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s))
GROUP BY kept.scope
ORDER BY kept.scope
