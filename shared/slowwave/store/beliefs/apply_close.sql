-- Closes open versions in recorded time; returns how many there were, to be compared with how many were meant.
--
-- Served by facts_pkey, a look a version: OFFSET 0 and IS NOT DISTINCT FROM make it so, or a planner without statistics
-- reads the whole scope. Only the holder of the scope's lease writes here, so rows are found again by where they lie;
-- the arrays make that a look a row, too: of many rows, the planner would read the whole table.
UPDATE facts f SET recorded = tstzrange(lower(f.recorded), c.at)
FROM (
    SELECT array_agg(named.row_id) AS row_ids, array_agg(meant.at) AS times
    FROM unnest(%(versions)s::bigint[], %(at)s::timestamptz[]) AS meant (version, at)
    CROSS JOIN
        LATERAL (
            SELECT ctid AS row_id FROM facts
            WHERE version = meant.version AND scope IS NOT DISTINCT FROM %(scope)s AND upper_inf(recorded)
            OFFSET 0
        ) AS named
) AS found
CROSS JOIN LATERAL unnest(found.row_ids, found.times) AS c (row_id, at)
WHERE f.ctid = c.row_id
