-- Entities with all their names, how often they are mentioned, their kind, and the heaviest facts about them.
--
-- Served by entities_pkey, entities_same, edges_from, edges_to and edges_about, each from its heaviest end, and
-- facts_of_delta. For CASE, the planner estimates half of all rows; for @>, it would estimate almost none, and search
-- for them.
SELECT
    e.scope, e.entity AS id, h.tenant, h.user_id, h.agent, h.channel, e.name AS label, own.aliases, own.frequency,
    own.first_seen, own.last_seen, sort.kind, said.texts, said.facts, said.properties
FROM unnest(%(scopes)s::uuid[], %(entities)s::uuid[]) WITH ORDINALITY AS asked (scope, entity, place)
JOIN entities e ON e.scope = asked.scope AND e.entity = asked.entity
JOIN scope_heads h ON h.scope = e.scope
CROSS JOIN
    LATERAL (
        SELECT
            array_agg(n.name ORDER BY n.name) FILTER (WHERE n.entity <> e.entity) AS aliases,
            array_agg(n.entity) AS entities,
            sum(n.frequency)::bigint AS frequency, min(n.first_seen) AS first_seen, max(n.last_seen) AS last_seen
        FROM (
            SELECT one.* FROM entities one WHERE one.scope = e.scope AND one.entity = e.entity
            UNION ALL
            SELECT one.* FROM entities one WHERE one.scope = e.scope AND one.same_as = e.entity
        ) AS n
    ) AS own
LEFT JOIN LATERAL (
    SELECT near.kind
    FROM unnest(own.entities) AS n (entity)
    CROSS JOIN
        LATERAL (
            (
                SELECT g.kind FROM edges g
                WHERE g.scope = e.scope AND g.target = n.entity AND NOT isempty(g.valid) AND g.target IS NOT NULL
                ORDER BY g.weight DESC, g.fact
                LIMIT %(looked_at)s
            )
            UNION ALL
            SELECT sorts.sort
            FROM (
                (
                    SELECT g.relation FROM edges g
                    WHERE g.scope = e.scope AND g.source = n.entity AND NOT isempty(g.valid) AND g.target IS NOT NULL
                    ORDER BY g.weight DESC, g.fact
                    LIMIT %(looked_at)s
                )
                UNION ALL
                (
                    SELECT g.relation FROM edges g
                    WHERE g.scope = e.scope AND g.source = n.entity AND NOT isempty(g.valid) AND g.target IS NULL
                    ORDER BY g.weight DESC, g.fact
                    LIMIT %(looked_at)s
                )
            ) AS g
            JOIN unnest(%(relations)s::text[], %(sorts)s::text[]) AS sorts (relation, sort) USING (relation)
        ) AS near
    WHERE near.kind <> 'alias'
    GROUP BY near.kind
    ORDER BY count(*) DESC, near.kind
    LIMIT 1
) AS sort ON true
CROSS JOIN
    LATERAL (
        SELECT
            array_agg(f.text ORDER BY g.leaves DESC, g.weight DESC, f.position DESC, g.fact) AS texts,
            array_agg(g.fact ORDER BY g.leaves DESC, g.weight DESC, f.position DESC, g.fact) AS facts,
            jsonb_object_agg(g.relation, f.object) FILTER (WHERE g.kind = 'value') AS properties
        FROM (
            SELECT told.* FROM unnest(own.entities) AS n (entity)
            CROSS JOIN LATERAL (
                (
                    SELECT g.*, true AS leaves FROM edges g
                    WHERE
                        g.scope = e.scope AND g.source = n.entity AND NOT isempty(g.valid) AND g.target IS NOT NULL
                        AND CASE WHEN g.valid @> slowwave_now() THEN true ELSE false END
                    ORDER BY g.weight DESC, g.fact
                    LIMIT %(texts)s
                )
                UNION ALL
                (
                    SELECT g.*, false FROM edges g
                    WHERE
                        g.scope = e.scope AND g.target = n.entity AND NOT isempty(g.valid) AND g.target IS NOT NULL
                        AND CASE WHEN g.valid @> slowwave_now() THEN true ELSE false END
                    ORDER BY g.weight DESC, g.fact
                    LIMIT %(texts)s
                )
                UNION ALL
                (
                    SELECT g.*, true FROM edges g
                    WHERE
                        g.scope = e.scope AND g.source = n.entity AND NOT isempty(g.valid) AND g.target IS NULL
                        AND CASE WHEN g.valid @> slowwave_now() THEN true ELSE false END
                    ORDER BY g.weight DESC, g.fact
                    LIMIT %(looked_at)s
                )
            ) AS told
        ) AS g
        CROSS JOIN LATERAL (
            SELECT f.text, f.object, f.position FROM facts f
            WHERE f.fact = g.fact AND f.scope = e.scope AND upper_inf(f.recorded) AND f.valid @> slowwave_now()
            LIMIT 1
        ) AS f
    ) AS said
WHERE e.tombstoned IS NULL
ORDER BY asked.place
