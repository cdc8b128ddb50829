-- Inserts the edges of new facts and updates those of changed facts; adjusts the frequency of each end by the weight of
-- its believed edges. Increments the version of the graph, once per run even if the run has several steps. Returns that
-- version; returns and changes nothing if the graph was never built.
--
-- Served by edges_pkey, facts_of_delta, entities_pkey and, from its newest end, graph_versions_pkey, one lookup per
-- fact or entity: OFFSET 0 forces that, as a planner without statistics would read the whole scope. The versions of
-- facts of this run are in the fact table already. Only the holder of the scope's lease writes edges, and the entities
-- of all of them are locked, so rows are found again by ctid; the arrays make that one lookup per row, where the
-- planner would otherwise read the whole table.
WITH last AS MATERIALIZED (
    SELECT version, run FROM graph_versions WHERE scope = %(scope)s ORDER BY version DESC LIMIT 1
),
new AS (
    SELECT new.* FROM last, unnest(
        %(facts)s::uuid[], %(sources)s::uuid[], %(relations)s::text[], %(targets)s::uuid[], %(kinds)s::text[]
    ) AS new (fact, source, relation, target, kind)
),
touched AS MATERIALIZED (
    SELECT touched.* FROM last, unnest(%(touched)s::uuid[], %(more)s::bigint[]) AS touched (fact, more)
),
held AS MATERIALIZED (
    SELECT touched.fact, range_agg(f.valid) AS valid
    FROM touched
    CROSS JOIN
        LATERAL (
            SELECT valid FROM facts
            WHERE fact = touched.fact AND scope IS NOT DISTINCT FROM %(scope)s AND upper_inf(recorded)
            OFFSET 0
        ) AS f
    GROUP BY touched.fact
),
before AS MATERIALIZED (
    SELECT e.row_id, e.fact, e.source, e.target, CASE WHEN isempty(e.valid) THEN 0 ELSE e.weight END AS weight
    FROM touched
    CROSS JOIN
        LATERAL (
            SELECT ctid AS row_id, fact, source, target, valid, weight FROM edges
            WHERE scope = %(scope)s AND fact = touched.fact
            OFFSET 0
        ) AS e
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
    UPDATE edges e SET valid = told.valid, weight = e.weight + told.more
    FROM (
        SELECT
            array_agg(before.row_id) AS row_ids, array_agg(coalesce(held.valid, '{}')) AS valids,
            array_agg(touched.more) AS mores
        FROM before JOIN touched USING (fact) LEFT JOIN held USING (fact)
    ) AS found
    CROSS JOIN LATERAL unnest(found.row_ids, found.valids, found.mores) AS told (row_id, valid, more)
    WHERE e.ctid = told.row_id
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
    UPDATE entities e SET frequency = e.frequency + told.more
    FROM (
        SELECT array_agg(named.row_id) AS row_ids, array_agg(difference.more) AS mores
        FROM difference
        CROSS JOIN
            LATERAL (
                SELECT ctid AS row_id FROM entities WHERE scope = %(scope)s AND entity = difference.entity OFFSET 0
            ) AS named
    ) AS found
    CROSS JOIN LATERAL unnest(found.row_ids, found.mores) AS told (row_id, more)
    WHERE e.ctid = told.row_id
),
counts AS (
    SELECT
        (SELECT count(*) FROM added) AS added,
        (SELECT count(*) FROM touched WHERE more > 0) AS confirmed,
        (SELECT count(*) FROM changed JOIN before USING (fact) WHERE before.weight > 0 AND changed.weight = 0) AS ended
),
same AS (
    UPDATE graph_versions g
    SET
        at = %(at)s, added = g.added + counts.added, confirmed = g.confirmed + counts.confirmed,
        ended = g.ended + counts.ended
    FROM last, counts
    WHERE g.scope = %(scope)s AND g.version = last.version AND last.run = %(run)s::bigint
    RETURNING g.version
),
next AS (
    INSERT INTO graph_versions (scope, version, tenant, run, at, added, confirmed, ended)
    SELECT
        %(scope)s, last.version + 1, slowwave_tenant(), %(run)s, %(at)s, counts.added, counts.confirmed, counts.ended
    FROM last, counts
    WHERE last.run IS DISTINCT FROM %(run)s::bigint OR %(run)s::bigint IS NULL
    RETURNING version
)
SELECT version FROM same
UNION ALL
SELECT version FROM next
