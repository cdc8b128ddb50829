-- The episodes in a range of positions for packing into blocks, with their vectors in a space. Expired episodes are
-- left out.
--
-- Served by the primary keys of the partitions of episodes, of episode_vectors and of conversations.
SELECT
    e.position, date_part('epoch', e.received) AS received, date_part('epoch', e.occurred) AS occurred,
    e.session, e.role, e.speaker, tsvector_to_array(e.terms) AS words, vector_send(v.embedding) AS embedding
FROM episodes AS e
LEFT JOIN (
    SELECT position, embedding
    FROM episode_vectors
    WHERE scope = %(scope)s AND position BETWEEN %(lo)s AND %(hi)s AND space = %(space)s
) AS v ON v.position = e.position
WHERE
    e.scope = %(scope)s AND e.position BETWEEN %(lo)s AND %(hi)s
    AND NOT EXISTS (
        SELECT FROM conversations AS c
        WHERE c.scope = e.scope AND c.session = e.session AND c.tombstoned >= e.received
    )
ORDER BY e.position
