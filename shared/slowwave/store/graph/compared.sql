-- The edges in one of two versions of a scope's graph but not in the other, each with True if the *later* version has
-- the edge.
--
-- Served by graph_versions_pkey, by the scope's part of edges_pkey, and by facts_of_delta.
WITH times AS (
    SELECT
        (SELECT at FROM graph_versions WHERE scope = %(scope)s AND version = %(before)s) AS before,
        (SELECT at FROM graph_versions WHERE scope = %(scope)s AND version = %(after)s) AS later
),
believed AS (
    SELECT
        g.fact, g.source, g.target, g.relation, g.weight, max(f.text) AS text, max(f.confidence) AS confidence,
        min(lower(f.valid)) AS valid_from, max(upper(f.valid)) AS valid_to,
        bool_or(f.recorded @> times.before) AS before, bool_or(f.recorded @> times.later) AS later
    FROM times
    CROSS JOIN edges g
    JOIN facts f ON f.fact = g.fact AND f.scope = g.scope
    WHERE g.scope = %(scope)s AND g.target IS NOT NULL
    GROUP BY g.fact, g.source, g.target, g.relation, g.weight
)
SELECT
    b.fact, coalesce(s.same_as, s.entity) AS source, coalesce(t.same_as, t.entity) AS target, b.relation, b.weight,
    b.text, b.confidence, b.valid_from, b.valid_to, NULL::jsonb AS properties, b.later
FROM believed b
JOIN entities s ON s.scope = %(scope)s AND s.entity = b.source
JOIN entities t ON t.scope = %(scope)s AND t.entity = b.target
WHERE b.before <> b.later
ORDER BY b.weight DESC, b.fact
