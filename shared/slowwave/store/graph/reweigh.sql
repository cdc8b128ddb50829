-- Counts the confirmations of facts anew, in the weights of their edges, the frequencies of entities and of memories.
--
-- Served by edges_pkey, entities_pkey, standing_pkey and delta_sources_pkey, and the indexes of slowwave_confirmations.
-- The caller has locked the entities and the memories.
WITH counted AS MATERIALIZED (
    SELECT told.fact, count(DISTINCT s.episode) AS more
    FROM unnest(%(facts)s::uuid[]) AS told (fact)
    LEFT JOIN LATERAL slowwave_confirmations(%(scope)s, told.fact) AS c ON true
    LEFT JOIN delta_sources AS s
        ON
            s.delta = c.delta AND s.ordinal = 0
            AND NOT EXISTS (SELECT FROM delta_sources AS own WHERE own.delta = told.fact AND own.episode = s.episode)
    GROUP BY told.fact
),
stood AS (
    UPDATE standing AS s SET frequency = counted.more
    FROM counted
    WHERE s.scope = %(scope)s AND s.memory = counted.fact AND s.frequency <> counted.more
),
before AS MATERIALIZED (
    SELECT e.fact, e.source, e.target, NOT isempty(e.valid) AS held, 1 + counted.more - e.weight AS more
    FROM counted JOIN edges AS e ON e.scope = %(scope)s AND e.fact = counted.fact
    WHERE e.weight <> 1 + counted.more
),
changed AS (
    UPDATE edges AS e SET weight = e.weight + before.more
    FROM before WHERE e.scope = %(scope)s AND e.fact = before.fact
)
UPDATE entities AS e SET frequency = e.frequency + difference.more
FROM (
    SELECT ends.entity, sum(before.more) AS more
    FROM before CROSS JOIN LATERAL (VALUES (before.source), (before.target)) AS ends (entity)
    WHERE before.held
    GROUP BY ends.entity
) AS difference
WHERE e.scope = %(scope)s AND e.entity = difference.entity
