-- Memories of a scope that have no vector in a space yet: prepared episodes, facts, and names of entities with a vector
-- in another space. The first memories of each kind are returned.
--
-- Served by the primary keys of episodes and of the vectors, by facts_open_recent, facts_of_delta and entities_pkey.
(
    SELECT 'episode' AS kind, e.position, NULL::uuid AS id, slowwave_left(e.content, %(characters)s) AS text
    FROM episodes AS e
    WHERE
        e.scope = %(scope)s AND e.position <= %(prepared)s
        AND NOT EXISTS (
            SELECT FROM episode_vectors AS v
            WHERE v.scope = e.scope AND v.position = e.position AND v.space = %(space)s
        )
    ORDER BY e.position
    LIMIT %(most)s
)
UNION ALL
(
    SELECT 'fact', NULL, held.fact, told.text
    FROM (
        SELECT f.fact FROM facts AS f WHERE f.scope = %(scope)s AND upper_inf(f.recorded)
        UNION
        SELECT v.fact FROM fact_vectors AS v WHERE v.scope = %(scope)s AND v.space <> %(space)s
    ) AS held
    CROSS JOIN
        LATERAL (
            SELECT f.text FROM facts AS f
            WHERE f.fact = held.fact AND f.scope = %(scope)s
            ORDER BY f.version DESC LIMIT 1
        ) AS told
    WHERE
        NOT EXISTS (
            SELECT FROM fact_vectors AS v WHERE v.scope = %(scope)s AND v.fact = held.fact AND v.space = %(space)s
        )
    ORDER BY held.fact
    LIMIT %(most)s
)
UNION ALL
(
    SELECT DISTINCT 'entity', NULL::bigint, e.entity, e.name
    FROM entity_vectors AS old
    JOIN entities AS e ON e.scope = old.scope AND e.entity = old.entity
    WHERE
        old.scope = %(scope)s AND old.space <> %(space)s
        AND NOT EXISTS (
            SELECT FROM entity_vectors AS v
            WHERE v.scope = old.scope AND v.entity = old.entity AND v.space = %(space)s
        )
    ORDER BY e.entity
    LIMIT %(most)s
)
