-- The kind and vector of a scope's episodes at the given positions. A text without meaning in this space has no vector.
--
-- Served by episode_keys_scope_position_key, then by the primary keys of episodes and episode_vectors.
SELECT k.position, e.kind, v.embedding::real[]
FROM episode_keys k
JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
LEFT JOIN episode_vectors v
    ON
        (v.scope, v.position) = (k.scope, k.position)
        AND v.space = ANY(ARRAY(SELECT space FROM embedding_spaces WHERE name = %(space)s))
WHERE k.scope = %(scope)s AND k.position = ANY(%(positions)s::bigint[])
