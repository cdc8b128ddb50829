-- The state of these scopes, by which a process checks its cache; only the time for an unknown scope.
--
-- It has a digest of the editions of the blocks up to a given one, and the newest block; the head; which positions of a
-- range after the blocks exist, a digest of the expired ones, and whether any conversation is archived or expired; and
-- the time of the last belief. Served by scope_heads_pkey, word_blocks_pkey and vector_blocks_pkey, without reading a
-- packed column, the primary keys of the partitions of episodes and of episode_vectors, conversations_hidden, and of
-- deltas the last entry of their unique index.
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
