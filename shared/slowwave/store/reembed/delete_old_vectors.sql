-- Deletes vectors of a scope in spaces that it does not use, a limited number of each kind.
--
-- Served by the primary keys of the vectors and of their blocks.
WITH episodes AS (
    DELETE FROM episode_vectors WHERE ctid = ANY(ARRAY(
        SELECT v.ctid FROM episode_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s LIMIT %(most)s
    ))
),
facts AS (
    DELETE FROM fact_vectors WHERE ctid = ANY(ARRAY(
        SELECT v.ctid FROM fact_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s LIMIT %(most)s
    ))
),
entities AS (
    DELETE FROM entity_vectors WHERE ctid = ANY(ARRAY(
        SELECT v.ctid FROM entity_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s LIMIT %(most)s
    ))
)
DELETE FROM vector_blocks WHERE ctid = ANY(ARRAY(
    SELECT v.ctid FROM vector_blocks AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s LIMIT %(most)s
))
