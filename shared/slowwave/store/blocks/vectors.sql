-- The vectors in a range of positions of a scope in a space, as bytes.
--
-- Served by episode_vectors_pkey.
SELECT position, vector_send(embedding) AS embedding
FROM episode_vectors
WHERE
    scope = %(scope)s AND position BETWEEN %(lo)s AND %(hi)s
    AND space = (SELECT space FROM embedding_spaces WHERE (name, dimensions) = (%(space)s, %(dimensions)s))
ORDER BY position
