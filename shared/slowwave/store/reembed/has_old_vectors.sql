-- True if a scope has a vector in a space that it does not use.
--
-- Served by the primary keys of the vectors and of their blocks: the scope's part of each is read at most.
SELECT
    EXISTS (SELECT FROM episode_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s)
    OR EXISTS (SELECT FROM fact_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s)
    OR EXISTS (SELECT FROM entity_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s)
    OR EXISTS (SELECT FROM vector_blocks AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s)
