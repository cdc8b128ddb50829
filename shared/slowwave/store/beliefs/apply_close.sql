-- Closes open versions in recorded time. The caller compares the number of closed versions with the expected number.
--
-- Served by facts_pkey, one lookup per version: OFFSET 0 and IS NOT DISTINCT FROM force that, as a planner without
-- statistics would read the whole scope. Only the holder of the scope's lease writes here, so rows are found again by
-- ctid; the arrays make that one lookup per row, where the planner would otherwise read the whole table.
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
