-- The outgoing edges of some entities, valid at a given time: for each of their names, the heaviest edges with the
-- given relations and a few edges with other relations; then the incoming edges with the given relations.
--
-- Served by entities_same, edges_from, edges_about and edges_to, each from its heaviest end, and entities_pkey. Every
-- step has a LIMIT, so that no plan reads all edges, whatever the statistics say.
WITH names AS MATERIALIZED (
    SELECT asked.scope, asked.entity AS root, asked.entity
    FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS asked (scope, entity)
    UNION
    SELECT asked.scope, asked.entity, own.entity
    FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) AS asked (scope, entity)
    CROSS JOIN
        LATERAL (
            SELECT e.entity FROM entities e
            WHERE e.scope = asked.scope AND e.same_as = asked.entity
            ORDER BY e.entity
            LIMIT %(others)s
        ) AS own
)
SELECT
    names.scope, names.root AS here, g.fact, g.relation, g.back,
    (
        SELECT coalesce(t.same_as, t.entity) FROM entities t WHERE t.scope = names.scope AND t.entity = g.other
    ) AS there
FROM names
CROSS JOIN
    LATERAL (
        (
            SELECT one.fact, one.relation, one.target AS other, one.weight, false AS back
            FROM (
                SELECT e.*, row_number() OVER (ORDER BY e.weight DESC, e.fact) AS place
                FROM (
                    SELECT * FROM edges e
                    WHERE
                        e.scope = names.scope AND e.source = names.entity AND NOT isempty(e.valid)
                        AND e.target IS NOT NULL
                        AND CASE WHEN e.valid @> coalesce(%(at)s::timestamptz, slowwave_now()) THEN true ELSE false END
                    ORDER BY e.weight DESC, e.fact
                    LIMIT %(looked_at)s
                ) AS e
            ) AS one
            WHERE one.relation = ANY(%(relations)s::text[]) OR one.place <= %(any)s
            ORDER BY one.weight DESC, one.fact
            LIMIT %(most)s
        )
        UNION ALL
        (
            SELECT one.fact, one.relation, NULL, one.weight, false
            FROM (
                SELECT * FROM edges e
                WHERE
                    e.scope = names.scope AND e.source = names.entity AND NOT isempty(e.valid) AND e.target IS NULL
                    AND CASE WHEN e.valid @> coalesce(%(at)s::timestamptz, slowwave_now()) THEN true ELSE false END
                ORDER BY e.weight DESC, e.fact
                LIMIT %(looked_at)s
            ) AS one
            WHERE one.relation = ANY(%(relations)s::text[])
            ORDER BY one.weight DESC, one.fact
            LIMIT %(most)s
        )
        UNION ALL
        (
            SELECT one.fact, one.relation, one.source, one.weight, true
            FROM (
                SELECT * FROM edges e
                WHERE
                    e.scope = names.scope AND e.target = names.entity AND NOT isempty(e.valid) AND e.target IS NOT NULL
                    AND CASE WHEN e.valid @> coalesce(%(at)s::timestamptz, slowwave_now()) THEN true ELSE false END
                ORDER BY e.weight DESC, e.fact
                LIMIT %(looked_at)s
            ) AS one
            WHERE one.relation = ANY(%(relations)s::text[])
            ORDER BY one.weight DESC, one.fact
            LIMIT %(any)s
        )
    ) AS g
ORDER BY names.scope, names.root, g.weight DESC, g.fact, g.back
