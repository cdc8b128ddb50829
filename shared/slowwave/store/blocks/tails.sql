-- The heads of these scopes. Each has the numbers of episodes and vectors in a range of positions, and a digest of the
-- scope's creation time and expired conversations.
--
-- Served by scope_heads_pkey, the primary keys of the partitions of episodes and of episode_vectors, and
-- conversations_hidden. The range is short: the positions after the blocks.
SELECT
    h.scope, h.head,
    (
        SELECT count(*) FROM episodes AS e
        WHERE e.scope = h.scope AND e.position > tail.after AND e.position <= tail.last
    ) AS episodes,
    (
        SELECT count(*) FROM episode_vectors AS v
        WHERE
            v.scope = h.scope AND v.position > tail.after AND v.position <= tail.last
            AND v.space = (SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s))
    ) AS vectors,
    md5(h.born::text || coalesce((
        SELECT string_agg(c.session || c.tombstoned::text, '|' ORDER BY c.session) FROM conversations AS c
        WHERE c.scope = h.scope AND (c.archived IS NOT NULL OR c.tombstoned IS NOT NULL) AND c.tombstoned IS NOT NULL
    ), '')) AS state
FROM unnest(%(scopes)s::uuid[], %(afters)s::bigint[], %(lasts)s::bigint[]) AS tail (scope, after, last)
JOIN scope_heads AS h ON h.scope = tail.scope
ORDER BY h.scope
