-- The entities of a scope with believed facts, the most frequent first, with the same columns as `nodes`.
--
-- One pass over the scope's part of entities_pkey, edges_pkey and facts_of_delta each. The caller forbids nested loops:
-- without statistics the planner would expect a few rows instead of thousands.
WITH names AS MATERIALIZED (
    SELECT
        e.entity, coalesce(e.same_as, e.entity) AS root, e.name, e.frequency, e.first_seen, e.last_seen,
        e.entity = coalesce(e.same_as, e.entity) AND e.tombstoned IS NULL AS stands
    FROM entities e
    WHERE e.scope = %(scope)s
),
classes AS MATERIALIZED (
    SELECT
        root, max(name) FILTER (WHERE entity = root) AS label,
        array_agg(name ORDER BY name) FILTER (WHERE entity <> root) AS aliases, sum(frequency)::bigint AS frequency,
        min(first_seen) AS first_seen, max(last_seen) AS last_seen
    FROM names
    GROUP BY root
    HAVING sum(frequency) > 0 AND bool_or(stands)
    ORDER BY sum(frequency) DESC, root
    LIMIT %(most)s
),
held AS MATERIALIZED (
    SELECT g.fact, g.source, g.target, g.relation, g.kind, g.weight, g.valid @> slowwave_now() AS now
    FROM edges g
    WHERE g.scope = %(scope)s AND NOT isempty(g.valid)
),
kinds AS (
    SELECT DISTINCT ON (counted.root) counted.root, counted.kind
    FROM (
        SELECT n.root, near.kind, count(*) AS many
        FROM (
            SELECT
                target AS entity, kind, row_number() OVER (PARTITION BY target ORDER BY weight DESC, fact) AS place
            FROM held
            WHERE target IS NOT NULL
            UNION ALL
            SELECT near.source, sorts.sort, near.place
            FROM (
                SELECT
                    source, relation,
                    row_number() OVER (PARTITION BY source, target IS NULL ORDER BY weight DESC, fact) AS place
                FROM held
            ) AS near
            JOIN unnest(%(relations)s::text[], %(sorts)s::text[]) AS sorts (relation, sort) USING (relation)
        ) AS near
        JOIN names n ON n.entity = near.entity
        WHERE near.place <= %(looked_at)s AND near.kind <> 'alias'
        GROUP BY n.root, near.kind
    ) AS counted
    ORDER BY counted.root, counted.many DESC, counted.kind
),
told AS (
    SELECT
        source AS entity, fact, relation, kind, weight, true AS leaves,
        CASE WHEN target IS NULL THEN %(looked_at)s ELSE %(texts)s END AS most,
        row_number() OVER (PARTITION BY source, target IS NULL ORDER BY weight DESC, fact) AS place
    FROM held
    WHERE now
    UNION ALL
    SELECT
        target, fact, relation, kind, weight, false, %(texts)s,
        row_number() OVER (PARTITION BY target ORDER BY weight DESC, fact)
    FROM held
    WHERE now AND target IS NOT NULL
),
said AS (
    SELECT
        n.root, array_agg(f.text ORDER BY g.leaves DESC, g.weight DESC, f.position DESC, g.fact) AS texts,
        array_agg(g.fact ORDER BY g.leaves DESC, g.weight DESC, f.position DESC, g.fact) AS facts,
        jsonb_object_agg(g.relation, f.object) FILTER (WHERE g.kind = 'value') AS properties
    FROM told g
    JOIN names n ON n.entity = g.entity
    JOIN facts f ON f.fact = g.fact AND f.scope = %(scope)s AND upper_inf(f.recorded) AND f.valid @> slowwave_now()
    WHERE g.place <= g.most
    GROUP BY n.root
)
SELECT
    h.scope, c.root AS id, h.tenant, h.user_id, h.agent, h.channel, c.label, c.aliases, c.frequency, c.first_seen,
    c.last_seen, kinds.kind, said.texts, said.facts, said.properties
FROM classes c
JOIN scope_heads h ON h.scope = %(scope)s
LEFT JOIN kinds ON kinds.root = c.root
LEFT JOIN said ON said.root = c.root
ORDER BY c.frequency DESC, c.root
