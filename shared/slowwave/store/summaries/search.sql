-- The nodes of these scopes' trees nearest to a question, on any level, the nearest first.
--
-- Served by tree_nodes_pkey, fact_vectors_pkey and model_summaries_pkey: all nodes of the scopes are compared, but only
-- the texts of results are read. Replaced summaries and summaries without a vector are left out.
WITH near AS MATERIALIZED (
    SELECT
        n.scope, n.node, n.level,
        1 - (coalesce(t.embedding, n.embedding, v.embedding) <=> %(vector)b::vector) AS score
    FROM tree_nodes AS n
    LEFT JOIN fact_vectors AS v ON n.level = 0 AND (v.scope, v.fact, v.space) = (n.scope, n.node, n.space)
    LEFT JOIN model_summaries AS t
        ON n.level > 0 AND t.scope = n.scope AND t.about = n.node::text AND t.space = n.space
    WHERE
        n.scope = ANY(%(scopes)s::uuid[]) AND n.space = %(space)s
        AND vector_norm(coalesce(t.embedding, n.embedding, v.embedding)) > 0
        AND (
            n.level > 0
            OR EXISTS (SELECT FROM facts AS f WHERE f.fact = n.node AND f.scope = n.scope AND upper_inf(f.recorded))
        )
    ORDER BY score DESC, n.level DESC, n.scope, n.node
    LIMIT %(most)s
)
SELECT n.scope, n.node, n.level, n.parent, n.text, n.facts, n.places, f.session, f.object, near.score
FROM near
JOIN tree_nodes AS n ON (n.scope, n.node) = (near.scope, near.node)
LEFT JOIN facts AS f
    ON n.level = 0 AND f.fact = n.node AND f.scope = n.scope AND upper_inf(f.recorded) AND upper_inf(f.valid)
ORDER BY near.score DESC, n.level DESC, n.scope, n.node
