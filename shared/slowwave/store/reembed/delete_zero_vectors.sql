-- Deletes the zero vectors of a scope in a space. They belong to texts without meaning in the space.
--
-- Served by the primary keys of the vectors: the scope's part of each is read.
WITH episodes AS (
    DELETE FROM episode_vectors
    WHERE scope = %(scope)s AND space = %(space)s AND vector_norm(embedding) = 0
),
facts AS (
    DELETE FROM fact_vectors
    WHERE scope = %(scope)s AND space = %(space)s AND vector_norm(embedding) = 0
)
DELETE FROM entity_vectors
WHERE scope = %(scope)s AND space = %(space)s AND vector_norm(embedding) = 0
