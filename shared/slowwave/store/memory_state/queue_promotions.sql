-- Queues new or confirmed facts of a project channel for promotion, under any id that they have had.
--
-- Served by scope_heads_pkey, which leaves out `_global`, and by standing_pkey, one lookup per id: OFFSET 0 forces
-- that, as a planner without statistics would read the whole tenant. The caller has created or locked these rows, which
-- are found again by ctid.
UPDATE standing SET promote_due = slowwave_now()
FROM
    unnest(%(facts)s::uuid[]) AS told (fact)
CROSS JOIN LATERAL slowwave_same_fact(%(scope)s, told.fact) AS same (memory)
CROSS JOIN
    LATERAL (
        SELECT ctid AS row_id FROM standing WHERE scope = %(scope)s AND memory = same.memory OFFSET 0
    ) AS named
WHERE
    EXISTS (SELECT FROM scope_heads h WHERE h.scope = %(scope)s AND h.channel <> '_global')
    AND standing.ctid = named.row_id
