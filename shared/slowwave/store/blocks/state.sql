-- The state of these scopes, to compare with the cache of a process. An unknown scope has only the time.
--
-- For each scope: a digest of the editions of the blocks up to a given block, and the newest block; the head; how many
-- episodes and vectors a range of positions has; a digest of the expired conversations; whether any conversation is
-- archived or expired; the time of the last delta; and whether an episode waits to be prepared. Served by
-- scope_heads_pkey and watermarks_pkey, by word_blocks_pkey and vector_blocks_pkey (no packed column is read), by the
-- primary keys of the partitions of episodes and of episode_vectors, by conversations_hidden, and by the last entry of
-- deltas_scope_recorded_key.
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
    EXISTS(
        SELECT FROM conversations AS c
        WHERE c.scope = h.scope AND (c.archived IS NOT NULL OR c.tombstoned IS NOT NULL)
    ) AS hides,
    (SELECT d.recorded FROM deltas AS d WHERE d.scope = h.scope ORDER BY d.recorded DESC LIMIT 1) AS believed,
    coalesce(h.head > coalesce(w.position, 0), false) AS waits,
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
LEFT JOIN watermarks AS w ON w.scope = h.scope AND w.pack = %(pack)s
ORDER BY kept.scope
