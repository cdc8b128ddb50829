-- The edges of some entities, valid at a given time: for each of their names, a limited number of the heaviest outgoing
-- and incoming edges, between the entities for which the names stand.
--
-- Served by entities_same, edges_from and edges_to, each from its heaviest end, and facts_of_delta. Nearly all edges
-- are valid at a given time. For CASE, the planner estimates half of them; for @>, it would estimate almost none, and
-- search for them.
WITH asked AS (
    SELECT * FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS asked (scope, entity)
),
names AS MATERIALIZED (
    SELECT scope, entity FROM asked
    UNION
    SELECT e.scope, e.entity FROM asked JOIN entities e ON e.scope = asked.scope AND e.same_as = asked.entity
),
found AS MATERIALIZED (
    SELECT DISTINCT g.scope, g.fact, g.source, g.target, g.relation, g.weight
    FROM names
    CROSS JOIN LATERAL (
        (
            SELECT * FROM edges e
            WHERE
                e.scope = names.scope AND e.source = names.entity AND NOT isempty(e.valid) AND e.target IS NOT NULL
                AND CASE WHEN e.valid @> coalesce(%(at)s::timestamptz, slowwave_now()) THEN true ELSE false END
            ORDER BY e.weight DESC, e.fact
            LIMIT %(most)s
        )
        UNION ALL
        (
            SELECT * FROM edges e
            WHERE
                e.scope = names.scope AND e.target = names.entity AND NOT isempty(e.valid) AND e.target IS NOT NULL
                AND CASE WHEN e.valid @> coalesce(%(at)s::timestamptz, slowwave_now()) THEN true ELSE false END
            ORDER BY e.weight DESC, e.fact
            LIMIT %(most)s
        )
    ) AS g
)
SELECT
    found.scope, found.fact, s.entity AS source, t.entity AS target,
    found.relation, found.weight, f.text, f.confidence, lower(f.valid) AS valid_from, upper(f.valid) AS valid_to,
    CASE WHEN f.rule = %(by_hand)s THEN (
        SELECT e.metadata -> 'properties'
        FROM delta_sources d
        JOIN episode_keys k ON k.scope = found.scope AND k.position = d.position
        JOIN episodes e ON (e.scope, e.position, e.received) = (k.scope, k.position, k.received)
        WHERE d.delta = found.fact AND d.ordinal = 0
    ) END AS properties
FROM found
CROSS JOIN
    LATERAL (
        SELECT coalesce(e.same_as, e.entity) AS entity
        FROM entities e
        WHERE e.scope = found.scope AND e.entity = found.source
        LIMIT 1
    ) AS s
CROSS JOIN
    LATERAL (
        SELECT coalesce(e.same_as, e.entity) AS entity
        FROM entities e
        WHERE e.scope = found.scope AND e.entity = found.target
        LIMIT 1
    ) AS t
CROSS JOIN
    LATERAL (
        SELECT f.* FROM facts f
        WHERE
            f.fact = found.fact AND f.scope = found.scope AND upper_inf(f.recorded)
            AND f.valid @> coalesce(%(at)s::timestamptz, slowwave_now())
        LIMIT 1
    ) AS f
ORDER BY found.weight DESC, found.fact
LIMIT %(edges)s
