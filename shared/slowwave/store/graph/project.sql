-- Makes edges of new facts, and those of touched facts what is believed of them; each end's frequency rises and falls
-- by what they weigh while they are believed. Returns how many edges were added, weigh more, and ended.
--
-- Served by edges_pkey, facts_of_delta and entities_pkey. The versions of this run are in the fact table already.
WITH new AS (
    SELECT * FROM unnest(
        %(facts)s::uuid[], %(sources)s::uuid[], %(relations)s::text[], %(targets)s::uuid[], %(kinds)s::text[]
    ) AS new (fact, source, relation, target, kind)
),
touched AS MATERIALIZED (
    SELECT * FROM unnest(%(touched)s::uuid[], %(more)s::bigint[]) AS touched (fact, more)
),
held AS MATERIALIZED (
    SELECT f.fact, range_agg(f.valid) AS valid
    FROM touched JOIN facts f ON f.fact = touched.fact AND f.scope = %(scope)s AND upper_inf(f.recorded)
    GROUP BY f.fact
),
before AS MATERIALIZED (
    SELECT e.fact, e.source, e.target, CASE WHEN isempty(e.valid) THEN 0 ELSE e.weight END AS weight
    FROM touched JOIN edges e ON e.scope = %(scope)s AND e.fact = touched.fact
),
added AS (
    INSERT INTO edges (scope, fact, tenant, source, relation, target, kind, valid, weight)
    SELECT
        %(scope)s, new.fact, slowwave_tenant(), new.source, new.relation, new.target, new.kind,
        coalesce(held.valid, '{}'), 1 + touched.more
    FROM new JOIN touched USING (fact) LEFT JOIN held USING (fact)
    RETURNING fact, source, target, CASE WHEN isempty(valid) THEN 0 ELSE weight END AS weight
),
changed AS (
    UPDATE edges e SET valid = coalesce(held.valid, '{}'), weight = e.weight + touched.more
    FROM touched LEFT JOIN held USING (fact)
    WHERE e.scope = %(scope)s AND e.fact = touched.fact
    RETURNING e.fact, e.source, e.target, CASE WHEN isempty(e.valid) THEN 0 ELSE e.weight END AS weight
),
difference AS (
    SELECT ends.entity, sum(ends.weight) AS more
    FROM (
        SELECT source, target, weight FROM added
        UNION ALL SELECT source, target, weight FROM changed
        UNION ALL SELECT source, target, -weight FROM before
    ) AS edge
    CROSS JOIN LATERAL (VALUES (edge.source, edge.weight), (edge.target, edge.weight)) AS ends (entity, weight)
    GROUP BY ends.entity
    HAVING sum(ends.weight) <> 0
),
counted AS (
    UPDATE entities e SET frequency = e.frequency + difference.more
    FROM difference
    WHERE e.scope = %(scope)s AND e.entity = difference.entity
)
SELECT
    (SELECT count(*) FROM added) AS added,
    (SELECT count(*) FROM touched WHERE more > 0) AS confirmed,
    (SELECT count(*) FROM changed JOIN before USING (fact) WHERE before.weight > 0 AND changed.weight = 0) AS ended
