-- By what a process knows whether what it keeps of these scopes still holds; nothing but the time of one not there.
--
-- A digest of the editions of their blocks up to one each, and the newest block; the head; what of a stretch behind
-- the blocks is stored, and a digest of what was given up; and when anything was believed last. Served by
-- scope_heads_pkey, word_blocks_pkey and vector_blocks_pkey, of which no column that is packed is read, the primary
-- keys of the partitions of episodes and of episode_vectors, conversations_hidden, and of deltas the last entry of
-- their unique index.
SELECT
    kept.scope, h.born, h.head,
    (
        SELECT md5(string_agg(uuid_send(w.edition) || coalesce(uuid_send(v.edition), ''), ''::bytea ORDER BY w.block))
        FROM word_blocks AS w
        LEFT JOIN vector_blocks AS v ON v.scope = w.scope AND v.block = w.block AND v.space = asked.space
        WHERE w.scope = kept.scope AND w.block <= kept.block
    ) AS digest,
    (SELECT w.block FROM word_blocks AS w WHERE w.scope = kept.scope ORDER BY w.block DESC LIMIT 1) AS newest,
    (
        SELECT count(*) FROM episodes AS e
        WHERE e.scope = h.scope AND e.position > kept.after AND e.position <= kept.last
    ) AS episodes,
    (
        SELECT count(*) FROM episode_vectors AS v
        WHERE v.scope = h.scope AND v.position > kept.after AND v.position <= kept.last AND v.space = asked.space
    ) AS vectors,
    md5(h.born::text || coalesce((
        SELECT string_agg(c.session || c.tombstoned::text, '|' ORDER BY c.session) FROM conversations AS c
        WHERE c.scope = h.scope AND (c.archived IS NOT NULL OR c.tombstoned IS NOT NULL) AND c.tombstoned IS NOT NULL
    ), '')) AS state,
    (SELECT d.recorded FROM deltas AS d WHERE d.scope = h.scope ORDER BY d.recorded DESC LIMIT 1) AS believed,
    coalesce(%(now)s::timestamptz, slowwave_now()) AS now
FROM (
    SELECT (
        SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s)
    ) AS space
) AS asked
CROSS JOIN
    unnest(%(scopes)s::uuid[], %(blocks)s::bigint[], %(afters)s::bigint[], %(lasts)s::bigint[])
        AS kept (scope, block, after, last)
LEFT JOIN scope_heads AS h ON h.scope = kept.scope
ORDER BY kept.scope
